import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { builtFile, type BuiltFile } from '../built-file.js'

/** The files of the client, by their paths. */
export type ClientFiles = ReadonlyMap<string, BuiltFile>

/**
 * Reads the files that `npm run build` wrote. Throws the error of the file system when a file is
 * missing.
 */
export function readClient(folder: string): ClientFiles {
  const read = (name: string) => readFileSync(join(folder, name))
  return new Map([
    ['/client.tgz', builtFile('application/gzip', read('client.tgz'))],
    [
      '/client.js',
      builtFile('text/javascript; charset=utf-8', read('client.js'), read('client.js.gz')),
    ],
  ])
}
