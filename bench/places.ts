import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Compiled, this file is in `.build/bench`. */
export const root = fileURLToPath(new URL('../..', import.meta.url))

export const benchFolder = `${root}bench/`

/** The built product. */
export const product = `${root}dist/main.js`

/** The peers as `bench/tsconfig.json` has them written. */
export const peersFolder = `${benchFolder}.build/`

/**
 * A path that was given to the bench, in full. npm runs a script in the project's folder; a path is
 * meant from where npm was called.
 */
export function givenPath(path: string): string {
  return resolve(process.env['INIT_CWD'] ?? '.', path)
}

/** A file of the bench as it was compiled, named from `bench/`. */
export function compiled(path: string): string {
  return fileURLToPath(new URL(path, import.meta.url))
}
