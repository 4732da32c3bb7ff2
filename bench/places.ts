import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The root of the project. This file is compiled to `.build/bench`. */
export const root = fileURLToPath(new URL('../..', import.meta.url))

export const benchFolder = `${root}bench/`

/** The built product. */
export const product = `${root}dist/main.js`

/** The folder of the compiled peers, as `bench/tsconfig.json` sets it. */
export const peersFolder = `${benchFolder}.build/`

/** Resolves a path from the folder in which npm was called, because npm runs scripts in the project's folder. */
export function givenPath(path: string): string {
  return resolve(process.env['INIT_CWD'] ?? '.', path)
}

/** Returns the compiled file of a path inside `bench/`. */
export function compiled(path: string): string {
  return fileURLToPath(new URL(path, import.meta.url))
}
