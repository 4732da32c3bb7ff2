import { join, resolve } from 'node:path'

/**
 * The folder of the programs that tests start. Quick tests start bundles, which load in half the time (see
 * `tools/test.js`). Thorough tests start the released files.
 */
const folder = process.env['STARTED_PROGRAMS'] ?? 'dist'

/** Returns the file of a program. `main` is the service, and the others are commands. */
export function startedProgram(name: 'main' | 'audit' | 'copy' | 'import' | 'keys'): string {
  return resolve(join(folder, `${name}.js`))
}
