import { join, resolve } from 'node:path'

/**
 * The folder of the programs that tests start. Quick tests start bundles, which load in half the time (see
 * `tools/test.js`). Thorough tests start the released files.
 */
const bundles = process.env['STARTED_PROGRAMS']
const folder = bundles ?? 'dist'

/** The file of a program: `main` is the service, `dossier` runs every command. */
export function startedProgram(name: 'main' | 'dossier'): string {
  return resolve(join(folder, `${name}.js`))
}

/**
 * Options of Node for a service that a quick test starts. A large young generation makes garbage collections of a start
 * rare, and collections without helper threads take less CPU.
 */
export const nodeOptions: readonly string[] =
  bundles === undefined ? [] : ['--min-semi-space-size=16', '--single-threaded-gc']

/** The module of the read thread, from the same folder. */
export function startedReadThread(): string {
  return resolve(join(folder, bundles === undefined ? 'composition' : '', 'read-thread.js'))
}
