import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from '@jest/globals'
import { openDatabase } from '../../../../../src/adapters/sqlite/file/driver.js'
import { SqliteFactSource } from '../../../../../src/adapters/sqlite/event-store/migration/sqlite-fact-source.js'
import { SqliteFactTarget } from '../../../../../src/adapters/sqlite/event-store/migration/sqlite-fact-target.js'
import { StoreNotOpened } from '../../../../../src/application/ports/refusal.js'
import { factsIn, factTargetContract, runsOf } from '../../../../contracts/fact-target-contract.js'
import { openSqliteStore } from '../../../../support/open-sqlite-store.js'
import { addition, creation, keyed, repeat, storedFact } from '../../../../support/stored-facts.js'
import { temporaryFolders } from '../../../../support/temporary-folder.js'

const folder = temporaryFolders()

describe('copying from and to a SQLite file', () => {
  factTargetContract(() => {
    const path = join(folder(), 'deep', 'copy.db')
    return {
      target: () => SqliteFactTarget.open(path),
      source: () => SqliteFactSource.open(path),
      store: () => openSqliteStore(path),
    }
  })
})

describe('a SQLite file that was copied', () => {
  it('answers repeated requests with all facts of their key, and with the latest facts of a key that was used twice', async () => {
    const path = join(folder(), 'copy.db')
    const target = await SqliteFactTarget.open(path)
    const first = keyed(creation('entity-a', storedFact({ n: 1 }), storedFact({ n: 2 })), 'k')
    const early = keyed(addition('entity-a', storedFact({ n: 3 })), 'l')
    const late = keyed(addition('entity-a', storedFact({ n: 4 })), 'l')
    const run = ({ stream, key, facts }: typeof first) => ({ stream, key, facts })
    await target.append([...runsOf([{ stream: 'entity-b', ...storedFact() }]), run(first)])
    await target.append([run(early), run(late)])
    await target.close()
    const store = await openSqliteStore(path)
    try {
      const replay = await store.append(repeat(first))
      expect(replay).toMatchObject({ position: '3', facts: first.facts, replayed: true })
      const again = await store.append(repeat(early))
      expect(again).toMatchObject({ position: '5', facts: late.facts, replayed: true })
      const other = await store.append(keyed(addition('entity-b'), 'k'))
      expect(other.replayed).toBe(false)
    } finally {
      await store.close()
    }
  })
})

it('a copy fails when its target file was removed', async () => {
  const path = join(folder(), 'copy.db')
  const target = await SqliteFactTarget.open(path)
  const copied = runsOf([{ stream: 'entity-a', ...storedFact() }])
  await target.append(copied)
  rmSync(path)
  const refused = {
    code: 'store_unavailable',
    message: expect.stringMatching(/copy\.db was removed/),
  }
  await expect(target.append(copied)).rejects.toMatchObject(refused)
  await expect(target.close()).rejects.toMatchObject(refused)
})

it('a portion is stored completely or not at all', async () => {
  const path = join(folder(), 'copy.db')
  const target = await SqliteFactTarget.open(path)
  const fact = { stream: 'entity-a', ...storedFact() }
  await target.append(runsOf([fact]))
  const db = openDatabase(path)
  db.exec(
    "CREATE TRIGGER t BEFORE INSERT ON facts WHEN new.data = '{}' BEGIN SELECT raise(FAIL, 'no'); END",
  )
  db.close()
  const rest = [
    { ...fact, data: '1' },
    { ...fact, data: '{}' },
  ]
  await expect(target.append(runsOf(rest))).rejects.toMatchObject({ code: 'store_unavailable' })
  expect(await factsIn(target)).toEqual([fact])
  await target.close()
})

describe('a file that a copy cannot use', () => {
  it('is refused as a source and as a target while a service uses it, and stays unchanged', async () => {
    const path = join(folder(), 'dossier.db')
    const store = await openSqliteStore(path)
    await store.append(creation('entity-a'))
    const bytes = () => [path, `${path}-wal`].map((file) => readFileSync(file, 'latin1'))
    const before = bytes()
    await expect(SqliteFactSource.open(path)).rejects.toThrow(/in use by process/)
    await expect(SqliteFactTarget.open(path)).rejects.toThrow(/in use by process/)
    expect(bytes()).toEqual(before)
    await store.close()
  })

  it('is refused to a service while a copy uses it, and can be used afterwards', async () => {
    const path = join(folder(), 'dossier.db')
    const open = () => openSqliteStore(path)
    const target = await SqliteFactTarget.open(path)
    await expect(open()).rejects.toThrow(StoreNotOpened)
    await target.close()
    const source = await SqliteFactSource.open(path)
    await expect(open()).rejects.toThrow(StoreNotOpened)
    await source.close()
    await (await open()).close()
  })

  it('is refused as a source when it is missing, and is not created', async () => {
    const path = join(folder(), 'dossier.db')
    await expect(SqliteFactSource.open(path)).rejects.toThrow(/missing or empty/)
    expect([existsSync(path), existsSync(`${path}.lock`)]).toEqual([false, false])
  })

  it('is refused as a source when it has facts of an unknown type', async () => {
    const path = join(folder(), 'dossier.db')
    const target = await SqliteFactTarget.open(path)
    const later = { ...storedFact(), type: 'EntityMerged' }
    await target.append(runsOf([{ stream: 'entity-a', ...later }]))
    await target.close()
    await expect(SqliteFactSource.open(path)).rejects.toThrow(/the type "EntityMerged"/)
    await (await openSqliteStore(path)).close()
  })

  it('is refused when it is not a Dossier store, and stays unchanged', async () => {
    const path = join(folder(), 'dossier.db')
    writeFileSync(path, 'a letter')
    await expect(SqliteFactSource.open(path)).rejects.toThrow(StoreNotOpened)
    await expect(SqliteFactTarget.open(path)).rejects.toThrow(StoreNotOpened)
    expect(readFileSync(path, 'utf8')).toBe('a letter')
  })
})

it('a copy includes the facts that a killed service left in the WAL', async () => {
  const path = join(folder(), 'dossier.db')
  const store = await openSqliteStore(path)
  await store.append(creation('entity-a'))
  const copy = join(folder(), 'killed.db')
  for (const end of ['', '-wal']) writeFileSync(copy + end, readFileSync(path + end))
  await store.close()
  const source = await SqliteFactSource.open(copy)
  expect(await factsIn(source)).toHaveLength(1)
  await source.close()
})
