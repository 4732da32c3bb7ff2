import { closeSync, openSync, readSync, renameSync, statSync } from 'node:fs'
import { StoreNotOpened } from '../../../application/ports/store-errors.js'

/** "DosR" in ASCII, kept in the file's header: the file is a read model of ours. */
export const applicationId = 0x446f7352

/** https://sqlite.org/fileformat2.html#the_database_header */
const headerBytes = 100
const magic = 'SQLite format 3\0'

/** A file of another program is left alone; one whose header cannot be read is put aside. */
export function refuseForeign(path: string): void {
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0) return
  const header = headerOf(path)
  if (header.toString('latin1', 0, magic.length) !== magic) {
    renameSync(path, `${path}.unreadable`)
    return
  }
  if (header.readUInt32BE(68) === applicationId) return
  throw new StoreNotOpened(
    `${path} belongs to another program: point READ_MODEL at another file. Nothing was changed.`,
  )
}

/**
 * Throws when the file has fewer bytes than its header says. SQLite reads what is missing of the last
 * page as zeros.
 */
export function assertUncut(path: string): void {
  const header = headerOf(path)
  const pageBytes = header.readUInt16BE(16)
  const pages = header.readUInt32BE(28)
  if (statSync(path).size < pages * pageBytes) throw new Error('it was cut short')
}

function headerOf(path: string): Buffer {
  const header = Buffer.alloc(headerBytes)
  const file = openSync(path, 'r')
  try {
    readSync(file, header, 0, headerBytes, 0)
  } finally {
    closeSync(file)
  }
  return header
}
