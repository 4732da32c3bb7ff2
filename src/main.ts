/**
 * A signal while the program is being loaded ends it at once: nothing has begun. The handler stands
 * before everything else: process 1 of a container ignores every signal that it has no handler for.
 */
const endStart = (signal: NodeJS.Signals) => {
  process.stderr.write(`dossier: ${signal} during the start: stopped\n`)
  process.exit(0)
}
process.on('SIGTERM', endStart).on('SIGINT', endStart)

const { runService } = await import('./composition/run-service.js')
await runService(() => process.off('SIGTERM', endStart).off('SIGINT', endStart))
