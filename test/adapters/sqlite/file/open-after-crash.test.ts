import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from '@jest/globals'
import { checkpoint } from '../../../../src/adapters/sqlite/file/checkpoint.js'
import { openAfterCrash } from '../../../../src/adapters/sqlite/file/open-after-crash.js'
import { openConnection } from '../../../../src/adapters/sqlite/file/open-connection.js'
import { valueOf } from '../../../../src/adapters/sqlite/file/schema.js'
import { StoreNotOpened } from '../../../../src/application/ports/store-errors.js'
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

/** The program of another process: it says what is in the file, and says it again when it is asked. */
const readingTwice = `
  import { once } from 'node:events'
  import { openDatabase } from '${new URL('../../../../src/adapters/sqlite/file/driver.js', import.meta.url).href}'
  const db = openDatabase(process.argv[1])
  const say = () => {
    console.log(Object.values(db.prepare('SELECT group_concat(text) FROM texts').get())[0])
  }
  say()
  await once(process.stdin, 'end', process.stdin.resume())
  say()
`

/** A log that holds a commit which those who have read it before do not see. */
function lengthenLog(path: string): Buffer {
  const longer = join(folder(), 'dossier.db')
  for (const end of ['', '-wal']) copyFileSync(`${path}${end}`, `${longer}${end}`)
  const writer = openConnection(longer, 100)
  writer.exec("INSERT INTO texts VALUES ('second')")
  const log = readFileSync(`${longer}-wal`)
  writeFileSync(`${path}-wal`, log)
  writer.close()
  return log
}

it('is refused when SQLite finds less in the log than is there, and the log is kept', () => {
  const path = leftBehind()
  const early = openConnection(path, 100)
  expect(valueOf(early, 'SELECT count(*) FROM texts')).toBe(1)
  const log = lengthenLog(path)
  const open = () => openAfterCrash(path, 100)
  expect(open).toThrow(
    /could not be read whole \(\d+ of its \d+ pages\), and is kept as .*dossier\.db-wal\.unread/,
  )
  expect(open).toThrow(StoreNotOpened)
  expect(open).toThrow(/unread holds what an earlier start could not read/)
  expect(readFileSync(`${path}-wal.unread`)).toEqual(log)
  early.close()
})

it('goes on without a commit that was cut short, when another process has read the log before it', async () => {
  const path = leftBehind()
  const reader = spawn(process.execPath, ['--input-type=module', '-e', readingTwice, path], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  await once(reader.stdout, 'data')
  lengthenLog(path)
  const db = openAfterCrash(path, 100)
  db.exec("INSERT INTO texts VALUES ('third')")
  reader.stdin.end('again')
  expect(String(await once(reader.stdout, 'data'))).toBe('first,third\n')
  await once(reader, 'close')
  expect(existsSync(`${path}-wal.unread`)).toBe(false)
  db.close()
})
