/**
 * Ends the program at once when a signal arrives while the program is being loaded. Process 1 of a
 * container ignores a signal without a handler, so this handler is set before the service is
 * imported.
 */
const endStart = (signal: NodeJS.Signals) => {
  process.stderr.write(`dossier: ${signal} during the start: stopped\n`)
  process.exit(0)
}
process.on('SIGTERM', endStart).on('SIGINT', endStart)

const { runService } = await import('./composition/run-service.js')
await runService(() => process.off('SIGTERM', endStart).off('SIGINT', endStart))
