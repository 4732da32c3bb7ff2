import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from '@jest/globals'
import { checkpoint } from '../../../../src/adapters/sqlite/file/checkpoint.js'
import { openAfterCrash } from '../../../../src/adapters/sqlite/file/open-after-crash.js'
import { openConnection } from '../../../../src/adapters/sqlite/file/open-connection.js'
import { valueOf } from '../../../../src/adapters/sqlite/file/schema.js'
import { StoreNotOpened } from '../../../../src/application/recording/ports/store-errors.js'
import { temporaryFolders } from '../../../support/temporary-folder.js'

const folder = temporaryFolders()

/** A file and its log as a process leaves them that is killed. */
function leftBehind(): string {
  const [running, left] = [join(folder(), 'dossier.db'), join(folder(), 'dossier.db')]
  const db = openConnection(running, 100)
  db.exec('CREATE TABLE texts (text TEXT)')
  db.exec("INSERT INTO texts VALUES ('first')")
  for (const end of ['', '-wal']) copyFileSync(`${running}${end}`, `${left}${end}`)
  db.close()
  return left
}

it('finds what the log holds, and has all of it in the file', () => {
  const db = openAfterCrash(leftBehind(), 100)
  expect(valueOf(db, 'SELECT text FROM texts')).toBe('first')
  const { logged, copied } = checkpoint(db)
  expect(copied).toBe(logged)
  db.close()
})

it('is refused when SQLite finds less in the log than is there', () => {
  const path = leftBehind()
  // Another connection has read the log; what comes behind that, it does not see.
  const early = openConnection(path, 100)
  expect(valueOf(early, 'SELECT count(*) FROM texts')).toBe(1)
  const longer = join(folder(), 'dossier.db')
  for (const end of ['', '-wal']) copyFileSync(`${path}${end}`, `${longer}${end}`)
  const writer = openConnection(longer, 100)
  writer.exec("INSERT INTO texts VALUES ('second')")
  writeFileSync(`${path}-wal`, readFileSync(`${longer}-wal`))
  expect(() => openAfterCrash(path, 100)).toThrow(StoreNotOpened)
  expect(() => openAfterCrash(path, 100)).toThrow(
    /could not be read whole \(\d+ of its \d+ pages\)/,
  )
  early.close()
  writer.close()
})
