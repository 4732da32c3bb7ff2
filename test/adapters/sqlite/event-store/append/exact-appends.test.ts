import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from '@jest/globals'
import { openDatabase, prepareRows } from '../../../../../src/adapters/sqlite/file/driver.js'
import { noRevision } from '../../../../../src/application/ports/exact-appends.js'
import { WrongRevision, isRefused } from '../../../../../src/application/ports/refusal.js'
import { exactAppendsContract } from '../../../../contracts/exact-appends-contract.js'
import { copyOfSqliteFile } from '../../../../support/golden-stores.js'
import { openSqliteStore } from '../../../../support/open-sqlite-store.js'
import { addition, creation, storedFact } from '../../../../support/stored-facts.js'
import { temporaryFolders } from '../../../../support/temporary-folder.js'
import { wholeStream } from '../../../../support/whole-stream.js'

const folder = temporaryFolders()

describe('appends at an expected revision in a SQLite file', () => {
  exactAppendsContract(() => {
    const path = join(sharedFolder(), 'dossier.db')
    return { open: () => openSqliteStore(path), keepsItsFacts: true }
  })
  // This folder's hook must run after the hook that closes the store, so it is registered later.
  const sharedFolder = temporaryFolders(afterAll)
})

const at = (revision: number, count = 1) => ({
  stream: 'members-a',
  revision,
  facts: Array.from({ length: count }, () => storedFact()),
})

/** Returns the rows of the table `revisions`. Appends to streams of entities do not change that table. */
function revisionsIn(path: string): readonly unknown[] {
  const db = openDatabase(path, { readOnly: true })
  try {
    return prepareRows(db, 'SELECT revision, position FROM revisions ORDER BY position').all()
  } finally {
    db.close()
  }
}

it('the file stores revisions only for streams that are appended to at an expected revision', async () => {
  const path = join(folder(), 'dossier.db')
  const store = await openSqliteStore(path)
  await store.append(creation('entity-a'))
  await store.appendAt(at(noRevision, 2))
  await store.append(addition('entity-a'))
  await store.appendAt(at(1))
  await store.close()
  expect(revisionsIn(path)).toEqual([
    [0, 2],
    [1, 3],
    [2, 5],
  ])
})

it('the revisions are complete after a kill', async () => {
  const path = join(folder(), 'dossier.db')
  const store = await openSqliteStore(path)
  await store.appendAt(at(noRevision, 3))
  await store.appendAt(at(2))
  // A kill leaves the WAL next to the file, with facts that are not in the file yet.
  const killed = join(folder(), 'killed.db')
  for (const end of ['', '-wal']) copyFileSync(path + end, killed + end)
  const facts = await wholeStream(store, 'members-a')
  await store.close()
  const next = await openSqliteStore(killed)
  expect(await wholeStream(next, 'members-a')).toEqual(facts)
  await expect(next.appendAt(at(2))).rejects.toEqual(new WrongRevision(3))
  expect(await next.appendAt(at(3))).toEqual({ position: '5', revision: 4 })
  await next.close()
})

it('a file of a version without revisions accepts appends at an expected revision', async () => {
  const path = copyOfSqliteFile(folder())
  const store = await openSqliteStore(path)
  expect(await store.readStream('members-a', 0)).toEqual([])
  expect(await store.appendAt(at(noRevision, 2))).toEqual({ position: '7', revision: 1 })
  await store.append(addition('entity-ada'))
  await store.close()
  expect(revisionsIn(path)).toEqual([
    [0, 6],
    [1, 7],
  ])
})

it('an append at an expected revision has an unknown outcome at its time-out, and a later read shows the outcome', async () => {
  const path = join(folder(), 'dossier.db')
  const store = await openSqliteStore(path, { timeoutMs: 300 })
  const known = at(noRevision)
  await store.appendAt(known)
  const holder = openDatabase(path)
  holder.exec('BEGIN IMMEDIATE')
  // The first append waits for the lock. The second append waits until the first is done.
  const first = store.append(creation('entity-a'))
  const unknown = at(0, 2)
  const results = await Promise.allSettled([
    first,
    store.appendAt(unknown),
    store.readStream('members-a', 0),
  ])
  const [, late, read] = results
  // On a slow machine, the writer may give up waiting for the lock before the time-out fires.
  const isNotSent = late.status === 'rejected' && isRefused(late.reason, 'store_unavailable')
  const outcomeUnknown = {
    status: 'rejected',
    reason: expect.objectContaining({ code: 'outcome_unknown' }),
  }
  if (!isNotSent) expect(late).toEqual(outcomeUnknown)
  if (read.status === 'fulfilled') expect(read.value).toMatchObject(known.facts)
  else expect(read.reason).toMatchObject({ code: 'store_unavailable' })
  holder.exec('COMMIT')
  holder.close()
  const end = performance.now() + 20_000
  while (store.queued.appends > 0 && performance.now() < end) store.catchUp()
  const stored = (await wholeStream(store, 'members-a')).slice(1)
  const again = store.appendAt(at(0))
  if (isNotSent) expect(stored).toEqual([])
  if (stored.length === 0) expect(await again).toMatchObject({ revision: 1 })
  else {
    expect(stored).toMatchObject(unknown.facts)
    await expect(again).rejects.toEqual(new WrongRevision(2))
  }
  await store.close()
})

it('a read of a stream is refused when the writer is lost', async () => {
  const path = join(folder(), 'dossier.db')
  const store = await openSqliteStore(path)
  const broken = { ...creation('entity-a'), expected: 'new\0' }
  const appended = store.append(broken as unknown as ReturnType<typeof creation>)
  const results = await Promise.allSettled([appended, store.readStream('members-a', 0)])
  expect(results[0]).toEqual({
    status: 'rejected',
    reason: expect.objectContaining({ code: 'outcome_unknown' }),
  })
  await expect(store.readStream('members-a', 0)).rejects.toMatchObject({
    code: 'store_unavailable',
  })
  await store.close()
})
