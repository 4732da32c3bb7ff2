import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from '@jest/globals'
import {
  checkpoint,
  openAfterCrash,
  openConnection,
} from '../../../../src/adapters/sqlite/file/open-connection.js'
import { valueOf } from '../../../../src/adapters/sqlite/file/schema.js'
import { commandUnderFault, failuresIn } from '../../../support/disk-faults.js'
import { quickOrThorough } from '../../../support/thoroughness.js'
import { itWithStrace } from '../../../support/strace.js'
import { temporaryFolders } from '../../../support/temporary-folder.js'

const folder = temporaryFolders()

/** Returns the URL of a module that the child process imports. */
function moduleUrl(name: string): string {
  return new URL(`../../../../src/adapters/sqlite/file/${name}`, import.meta.url).href
}

/** Returns a file and its WAL as a killed process leaves them. */
function leftBehind(): string {
  const [running, left] = [join(folder(), 'dossier.db'), join(folder(), 'dossier.db')]
  const db = openConnection(running, 100)
  db.exec('CREATE TABLE texts (text TEXT)')
  db.exec("INSERT INTO texts VALUES ('first')")
  for (const end of ['', '-wal']) copyFileSync(`${running}${end}`, `${left}${end}`)
  db.close()
  return left
}

it('opening a file finds all commits in its WAL and copies them into the file', () => {
  const db = openAfterCrash(leftBehind(), 100)
  expect(valueOf(db, 'SELECT text FROM texts')).toBe('first')
  const { logged, copied } = checkpoint(db)
  expect(copied).toBe(logged)
  db.close()
})

/** The program of a child process. It prints the contents of the file at the start, and again when it is asked. */
const readingTwice = `
  import { once } from 'node:events'
  import { openDatabase } from '${moduleUrl('driver.js')}'
  const db = openDatabase(process.argv[1])
  const say = () => {
    console.log(Object.values(db.prepare('SELECT group_concat(text) FROM texts').get())[0])
  }
  say()
  await once(process.stdin, 'end', process.stdin.resume())
  say()
`

/** Adds a commit to the WAL that is not in the WAL index, so a process that has read the index does not see it. */
function lengthenLog(path: string): void {
  const longer = join(folder(), 'dossier.db')
  for (const end of ['', '-wal']) copyFileSync(`${path}${end}`, `${longer}${end}`)
  const writer = openConnection(longer, 100)
  writer.exec("INSERT INTO texts VALUES ('second')")
  writeFileSync(`${path}-wal`, readFileSync(`${longer}-wal`))
  writer.close()
}

/** The program of a child process. It opens the file and prints the contents of the file, or the error. */
const opening = `
  import { openAfterCrash } from '${moduleUrl('open-connection.js')}'
  try {
    const db = openAfterCrash(process.argv[1], 100)
    console.log(Object.values(db.prepare('SELECT group_concat(text) FROM texts').get())[0])
  } catch (error) {
    console.log(error.code + ': ' + error.message)
  }
`

/** The numbers of the reads that fail. The first reads happen while the WAL is read and copied. */
const reads = quickOrThorough({ quick: [1, 3], thorough: [1, 2, 3, 4, 5] })

itWithStrace.each(reads)(
  'opening a file throws when read %i of the WAL fails, and the next opening finds all facts',
  (read) => {
    const path = leftBehind()
    const open = (fault: readonly string[]) => {
      const [command, ...rest] = [...fault, process.execPath]
      const { stdout } = spawnSync(command, [...rest, '--input-type=module', '-e', opening, path])
      return String(stdout)
    }
    const failing = [{ calls: ['pread64'], error: 'EIO' as const, when: String(read) }]
    const trace = join(folder(), 'trace')
    const said = open(commandUnderFault({ paths: [`${path}-wal`], failing }, trace))
    expect(failuresIn(trace)).toBeGreaterThan(0)
    expect(said).toMatch(/^ERR_SQLITE_ERROR: /)
    expect(open([])).toBe('first\n')
  },
)

it('opening a file ignores an incomplete commit, even if another process has read the WAL before', async () => {
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
  db.close()
})
