import { closeSync, openSync, readSync } from 'node:fs'

/** Larger files are not read through at start: that would take longer than a start may. */
export const maxCheckedBytes = 256 * 1024 * 1024

/** https://sqlite.org/fileformat2.html#the_database_header */
const headerBytes = 100
const magic = 'SQLite format 3\0'

/** What the header of a database file says. */
export interface FileHeader {
  readonly applicationId: number
  /** `user_version`. */
  readonly version: number
  readonly pageBytes: number
  /** How many pages the file has. */
  readonly pages: number
}

/** Read as bytes, and not through SQLite, which may write. Undefined without a whole header of SQLite. */
export function readFileHeader(path: string): FileHeader | undefined {
  const header = Buffer.alloc(headerBytes)
  const file = openSync(path, 'r')
  try {
    if (readSync(file, header, 0, headerBytes, 0) < headerBytes) return undefined
  } finally {
    closeSync(file)
  }
  if (header.toString('latin1', 0, magic.length) !== magic) return undefined
  return {
    applicationId: header.readUInt32BE(68),
    version: header.readUInt32BE(60),
    pageBytes: header.readUInt16BE(16),
    pages: header.readUInt32BE(28),
  }
}
