import { closeSync, existsSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { openDatabase } from './driver.js'
import { flushFolder } from './make-folder.js'
import { migrate } from './schema.js'

/**
 * Makes the database where there is none yet: under another name, and renamed when it is whole. A
 * start that ends in the middle leaves no file that the next one would have to refuse. There is no
 * write-ahead log meanwhile: its file would keep the temporary name. The owner alone may read the
 * database: it holds customers' data.
 */
export function createFile(path: string): void {
  if (existsSync(path) && statSync(path).size > 0) return
  const unfinished = `${path}.new`
  for (const name of ['', '-journal']) rmSync(`${unfinished}${name}`, { force: true })
  closeSync(openSync(unfinished, 'wx', 0o600))
  const db = openDatabase(unfinished)
  try {
    db.exec('PRAGMA synchronous = FULL')
    migrate(db)
  } finally {
    db.close()
  }
  renameSync(unfinished, path)
  flushFolder(dirname(path))
}
