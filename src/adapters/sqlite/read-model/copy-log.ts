import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { committedPages } from '../file/committed-pages.js'
import { prepareRows, type Database } from '../file/driver.js'
import { flushFolder } from '../file/make-folder.js'
import { numbersIn } from '../file/row.js'
import { valueOf } from '../file/schema.js'

const headerBytes = 32
const frameHeaderBytes = 24

/**
 * Copies the write-ahead log into the file, and empties it. Meanwhile the file alone is neither the
 * state before nor the one after: a marker beside it says how much of the log has to be there.
 */
export function copyLog(db: Database, path: string): void {
  const bytes = statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0
  if (bytes <= headerBytes) return
  const frameBytes = frameHeaderBytes + Number(valueOf(db, 'PRAGMA page_size'))
  const pages = Math.floor((bytes - headerBytes) / frameBytes)
  writeFileSync(markerPath(path), String(pages), { mode: 0o600, flush: true })
  flushFolder(dirname(path))
  const [isBusy] = numbersIn(prepareRows(db, 'PRAGMA wal_checkpoint(TRUNCATE)').get())
  if (isBusy === 0) removeMarker(path)
}

/** Throws when a part of the log is gone that the file cannot be without. */
export function assertWholeLog(path: string): void {
  const marker = markerPath(path)
  if (!existsSync(marker)) return
  if (committedPages(`${path}-wal`) < Number(readFileSync(marker, 'utf8'))) {
    throw new Error('a part of its log is gone')
  }
}

export function removeMarker(path: string): void {
  rmSync(markerPath(path), { force: true })
}

function markerPath(path: string): string {
  return `${path}-copying`
}
