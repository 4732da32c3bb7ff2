import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BuiltFile } from '../built-file.js'

/** A file of the client. */
export interface ClientFile extends BuiltFile {
  /** A hash of the contents, as a weak entity tag. The plain and the gzipped form share the tag. */
  readonly etag: string
}

/** The files of the client, by their paths. */
export type ClientFiles = ReadonlyMap<string, ClientFile>

/** Reads the files that `npm run build` wrote. Throws the errors of reading. */
export function readClient(folder: string): ClientFiles {
  const read = (name: string) => readFileSync(join(folder, name))
  const fileOf = (type: string, plain: Buffer, gzipped?: Buffer): ClientFile => {
    const hash = createHash('sha256').update(plain).digest('base64url').slice(0, 22)
    return { type, plain, gzipped, etag: `W/"${hash}"` }
  }
  return new Map([
    ['/client.tgz', fileOf('application/gzip', read('client.tgz'))],
    [
      '/client.js',
      fileOf('text/javascript; charset=utf-8', read('client.js'), read('client.js.gz')),
    ],
  ])
}
