import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, it } from '@jest/globals'
import { openDatabase } from '../../../../src/adapters/sqlite/file/driver.js'
import { openOwned } from '../../../../src/adapters/sqlite/file/open-connection.js'
import { migrations, valueOf } from '../../../../src/adapters/sqlite/file/schema.js'
import { takeReadModel } from '../../../../src/adapters/sqlite/read-model/read-model-files.js'
import { StoreNotOpened } from '../../../../src/application/ports/refusal.js'
import { LogLines } from '../../../support/log-lines.js'
import { mountSmallDisk } from '../../../support/mount-small-disk.js'
import { itWithSmallDisk } from '../../../support/small-disk.js'
import { openSqliteStore } from '../../../support/open-sqlite-store.js'
import { addition, creation, storedFact } from '../../../support/stored-facts.js'
import { temporaryFolders } from '../../../support/temporary-folder.js'

const folder = temporaryFolders()
let path: string

beforeEach(() => {
  path = join(folder(), 'dossier.db')
})

function open() {
  return openSqliteStore(path, { timeoutMs: 60_000 })
}

/** The bytes of a closed store file with facts. */
let filled: Buffer | undefined

async function fill(): Promise<void> {
  filled ??= await filledFile()
  writeFileSync(path, filled)
}

async function filledFile(): Promise<Buffer> {
  const store = await open()
  await store.append(creation('entity-a'))
  await Promise.all(
    Array.from({ length: 300 }, (_, n) =>
      store.append(addition('entity-a', storedFact({ n, text: 'x'.repeat(200) }))),
    ),
  )
  await store.close()
  return readFileSync(path)
}

/** Returns the digest of each data file, by name. The lock file is excluded because it has no data. */
function digests(): Readonly<Record<string, string>> {
  const names = readdirSync(join(path, '..')).filter((name) => !name.endsWith('.lock'))
  return Object.fromEntries(
    names.map((name) => [
      name,
      createHash('sha256')
        .update(readFileSync(join(path, '..', name)))
        .digest('hex'),
    ]),
  )
}

/** Opens the file as the writer thread does. The tests of the lock file show that a store passes on the refusal. */
function expectRefusal(message: RegExp): void {
  const before = digests()
  const refused = () => openOwned(path, 5_000)
  expect(refused).toThrow(StoreNotOpened)
  expect(refused).toThrow(message)
  expect(digests()).toEqual(before)
}

describe('a start refuses a file and leaves it unchanged', () => {
  it('when its header is damaged', async () => {
    await fill()
    const bytes = readFileSync(path)
    bytes.fill(0x5a, 0, 16)
    writeFileSync(path, bytes)
    expectRefusal(/is damaged .*restore a back-up/)
  })

  it('when its header is incomplete', async () => {
    await fill()
    writeFileSync(path, readFileSync(path).subarray(0, 60))
    expectRefusal(/is damaged .*restore a back-up/)
  })

  it('when it is not a database', () => {
    writeFileSync(path, 'a letter to my aunt')
    expectRefusal(/is damaged/)
  })

  it('when a page in its middle is damaged', async () => {
    await fill()
    const bytes = readFileSync(path)
    bytes.fill(0x5a, 4_096 * 4, 4_096 * 6)
    writeFileSync(path, bytes)
    expectRefusal(/is damaged .*restore a back-up/)
  })

  it('when its end is missing', async () => {
    await fill()
    truncateSync(path, 4_096 * 5)
    expectRefusal(/is damaged/)
  })

  it('when a newer version wrote it', async () => {
    await fill()
    const db = openDatabase(path)
    db.exec(`PRAGMA user_version = ${String(migrations.length + 1)}`)
    db.close()
    expectRefusal(/newer version of Dossier .*run that version/)
  })

  it('when it has a second name, by which another process could own it', async () => {
    await fill()
    linkSync(path, `${path}.link`)
    expectRefusal(/another name \(a hard link\)/)
  })

  it('when it is missing but its WAL exists', async () => {
    await fill()
    writeFileSync(`${path}-wal`, 'what was stored last')
    rmSync(path)
    expectRefusal(/is there without its database/)
  })

  it('when it belongs to another program', () => {
    const db = openDatabase(path)
    db.exec('CREATE TABLE theirs (a)')
    db.close()
    expectRefusal(/belongs to another program/)
  })
})

/** Mounts a single file at a path, as a container does with a file of its host. */
function withMounted(file: string, at: string, work: () => void): void {
  writeFileSync(at, '')
  expect(spawnSync('mount', ['--bind', file, at]).status).toBe(0)
  try {
    work()
  } finally {
    spawnSync('umount', ['--lazy', at])
  }
}

describe('a data file that is mounted as a single file', () => {
  itWithSmallDisk('is refused, with or without facts in it', async () => {
    await fill()
    const empty = join(folder(), 'empty.db')
    writeFileSync(empty, '')
    const filledPath = path
    for (const file of [filledPath, empty]) {
      path = join(folder(), 'a folder', 'dossier.db')
      mkdirSync(dirname(path))
      withMounted(file, path, () => {
        expectRefusal(/is mounted as a single file.*Mount its folder instead/)
      })
    }
  })

  itWithSmallDisk('is refused as a read model', () => {
    const file = join(folder(), 'host.db')
    writeFileSync(file, '')
    withMounted(file, path, () => {
      expect(() => takeReadModel(path)).toThrow(/is mounted as a single file/)
    })
  })

  itWithSmallDisk('is accepted when its folder is mounted', async () => {
    const disk = mountSmallDisk(8)
    try {
      path = join(disk.folder, 'dossier.db')
      const store = await open()
      await store.append(creation('entity-a'))
      await store.check()
      await store.close()
    } finally {
      disk.unmount()
    }
  })
})

describe('a file that is too large for the check of its pages', () => {
  const pages = 65_600
  /** The offset of the number of pages in the header of a database. */
  const pagesAt = 28

  /** Creates a file of that many pages. The last pages are empty. */
  async function fillLarge(change: (bytes: Buffer) => void): Promise<void> {
    await fill()
    const bytes = readFileSync(path)
    bytes.writeUInt32BE(pages, pagesAt)
    change(bytes)
    writeFileSync(path, bytes)
    truncateSync(path, pages * 4_096)
  }

  it('is refused when its last page is incomplete', async () => {
    await fillLarge(() => undefined)
    truncateSync(path, pages * 4_096 - 2_000)
    await expect(open()).rejects.toThrow(/is damaged \(its end cannot be read\): restore a back-up/)
    expect(statSync(path).size).toBe(pages * 4_096 - 2_000)
  })

  it('is refused with advice when the start finds a damaged page', async () => {
    await fillLarge((bytes) => bytes.fill(0x5a, 4_096, 8_192))
    await expect(open()).rejects.toThrow(/is damaged \(.*malformed.*\): restore a back-up/)
  })
})

describe('the lock', () => {
  it('refuses a second owner and names the first owner', async () => {
    const store = await open()
    await expect(open()).rejects.toThrow(
      new RegExp(`is in use by process ${String(process.pid)} on .* since 20`),
    )
    await expect(store.append(creation('entity-a'))).resolves.toMatchObject({ replayed: false })
    await store.close()
  })

  it('is the same for all links to the file', async () => {
    const store = await open()
    const link = folder()
    symlinkSync(path, join(link, 'file.db'))
    symlinkSync(dirname(path), join(link, 'place'))
    for (const other of [join(link, 'file.db'), join(link, 'place', 'dossier.db')]) {
      path = other
      await expect(open()).rejects.toThrow(/is in use by process/)
    }
    await store.close()
  })

  it('is released by a close, and never blocks readers', async () => {
    const store = await open()
    await store.append(creation('entity-a'))
    const reader = openDatabase(path, { readOnly: true })
    expect(valueOf(reader, 'SELECT count(*) FROM facts')).toBe(1)
    reader.close()
    await store.close()
    const again = await open()
    await again.close()
  })
})

describe('a start that was interrupted', () => {
  it('leaves no file that makes the next start fail', async () => {
    writeFileSync(`${path}.new`, 'half a database')
    writeFileSync(`${path}.new-journal`, 'half a journal')
    const store = await open()
    await store.append(creation('entity-a'))
    await store.close()
    const left = readdirSync(dirname(path)).filter((name) => name.includes('.new'))
    expect(left).toEqual([])
    expect(existsSync(`${path}-wal`) ? statSync(`${path}-wal`).size : 0).toBe(0)
  })

  it('may leave an empty file, which the next start fills', async () => {
    writeFileSync(path, '')
    const store = await open()
    await expect(store.append(creation('entity-a'))).resolves.toMatchObject({ replayed: false })
    await store.close()
  })
})

describe('a lock file that is not a database', () => {
  it('is refused with its name and advice', async () => {
    writeFileSync(`${path}.lock`, 'garbage '.repeat(1_000))
    await expect(open()).rejects.toThrow(
      /lock .*\.lock cannot be taken \(file is not a database.*remove it/,
    )
  })
})

describe('a link to a file that is not there', () => {
  it('is refused, and no file is created', async () => {
    symlinkSync(join(folder(), 'not-mounted', 'dossier.db'), path)
    await expect(open()).rejects.toThrow(/is a link to a file that is not there.*mounted/)
    expect(lstatSync(path).isSymbolicLink()).toBe(true)
  })
})

describe('the data files', () => {
  it('can be read only by their owner, even in a folder that others can read', async () => {
    chmodSync(dirname(path), 0o755)
    const store = await open()
    await store.append(creation('entity-a'))
    const modes = readdirSync(dirname(path)).map((name) => [
      name,
      statSync(join(dirname(path), name)).mode & 0o777,
    ])
    expect(Object.fromEntries(modes)).toEqual({
      'dossier.db': 0o600,
      'dossier.db-shm': 0o600,
      'dossier.db-wal': 0o600,
      'dossier.db.lock': 0o600,
    })
    await store.close()
  })
})

describe('a stop while another program reads the file', () => {
  it('does not wait for the reader, and reports that the WAL stays', async () => {
    const log = new LogLines()
    const longerThanThisTest = 120_000
    const store = await openSqliteStore(path, { log, timeoutMs: longerThanThisTest })
    await store.append(creation('entity-a'))
    const reader = openDatabase(path, { readOnly: true })
    reader.exec('BEGIN')
    expect(valueOf(reader, 'SELECT count(*) FROM facts')).toBe(1)
    await store.append(addition('entity-a'))
    await store.close()
    expect(log.lines.map(({ details }) => details)).toEqual([
      {
        reason:
          'another program reads the data file, so its write-ahead log stays until the next start',
      },
    ])
    reader.exec('COMMIT')
    reader.close()
    const again = await open()
    await expect(again.append(creation('entity-a'))).rejects.toThrow(/exists/)
    await again.close()
  })
})

describe('a folder that the start creates', () => {
  it('can be read only by its owner', async () => {
    path = join(path, '..', 'made', 'dossier.db')
    const store = await open()
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o700)
    await store.close()
  })
})

describe('a path that cannot contain data', () => {
  it('is refused when it is a folder', async () => {
    mkdirSync(path)
    await expect(open()).rejects.toThrow(StoreNotOpened)
  })

  it('is refused when its folder cannot be created', async () => {
    writeFileSync(path, '')
    path = join(path, 'below', 'dossier.db')
    await expect(open()).rejects.toThrow(/cannot be created/)
  })
})
