import { databaseFiles } from '../file/paths.js'
import { renameSync, statSync } from 'node:fs'
import { basename } from 'node:path'
import { StoreNotOpened } from '../../../application/ports/refusal.js'
import { readFileHeader } from '../file/file-header.js'

/** All files that a read model at this path makes. */
export function readModelFiles(path: string): readonly string[] {
  const databases = [path, `${path}.lock`, buildingPath(path)].flatMap(databaseFiles)
  return [...databases, `${path}-copying`, `${path}.unreadable`]
}

/** Where it is until it is whole. */
export function buildingPath(path: string): string {
  return `${path}.building`
}

/** "DosR" in ASCII, in the file's header: the file is a read model of ours. */
export const applicationId = 0x446f7352

/**
 * Throws `StoreNotOpened` for a file of another program, which is left alone. A file whose header cannot be
 * read is put aside; `onDamage` is given its new name.
 */
export function refuseForeign(path: string, onDamage: (reason: string) => void): void {
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0) return
  const header = readFileHeader(path)
  if (header === undefined) {
    const aside = `${path}.unreadable`
    renameSync(path, aside)
    onDamage(`its header cannot be read: it was put aside as ${basename(aside)}`)
    return
  }
  if (header.applicationId === applicationId) return
  throw new StoreNotOpened(
    `${path} belongs to another program: point READ_MODEL at another file. Nothing was changed.`,
  )
}

/**
 * Throws when the file has fewer bytes than its header says. SQLite reads what is missing of the last
 * page as zeros.
 */
export function assertUncut(path: string): void {
  const header = readFileHeader(path)
  if (header === undefined) throw new Error('its header cannot be read')
  if (statSync(path).size < header.pages * header.pageBytes) throw new Error('it was cut short')
}
