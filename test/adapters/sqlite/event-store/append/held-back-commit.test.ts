import { join } from 'node:path'
import { setImmediate as immediate } from 'node:timers/promises'
import { expect, it } from '@jest/globals'
import { openDatabase } from '../../../../../src/adapters/sqlite/file/driver.js'
import { limitInFlight } from '../../../../../src/application/recording/limit-in-flight.js'
import type {
  EventStore,
  StoreHealth,
} from '../../../../../src/application/recording/ports/event-store.js'
import { openSqliteStore } from '../../../../support/open-sqlite-store.js'
import { addition, creation, keyed } from '../../../../support/stored-facts.js'
import { temporaryFolders } from '../../../../support/temporary-folder.js'

const folder = temporaryFolders()

/** Longer than a busy machine holds up this thread: the writer gives up the lock as long after it again. */
const timeoutMs = 1_500

it('is unknown at the time-out, holds up nothing else, and is found by its key later', async () => {
  const path = join(folder(), 'dossier.db')
  const store = await openSqliteStore(path, { timeoutMs })
  await store.append(creation('entity-a'))
  const holder = openDatabase(path)
  holder.exec('BEGIN IMMEDIATE')
  const ahead = await occupyWriter(store)
  const results = await Promise.allSettled([
    store.append(keyed(addition('entity-a'), 'k')),
    store.append(addition('entity-a')),
  ])
  for (const result of results) {
    expect(result).toEqual({
      status: 'rejected',
      reason: expect.objectContaining({ code: 'outcome_unknown' }),
    })
  }
  holder.exec('COMMIT')
  holder.close()
  await Promise.allSettled(ahead)
  const receipt = await store.append(keyed(addition('entity-a'), 'k'))
  expect(await store.append(keyed(addition('entity-a'), 'k'))).toEqual({
    ...receipt,
    replayed: true,
  })
  await untilReady(store)
  await store.close()
})

it('lets no more wait for the disk than may, those whose callers have gone included', async () => {
  const path = join(folder(), 'dossier.db')
  const store = await openSqliteStore(path, { timeoutMs })
  const limited = limitInFlight(store, { appends: 3, bytes: 10_000 })
  await store.append(creation('entity-a'))
  const holder = openDatabase(path)
  holder.exec('BEGIN IMMEDIATE')
  const ahead = await occupyWriter(store)
  const first = await Promise.allSettled(
    [addition, addition, addition].map((add) => limited.append(add('entity-a'))),
  )
  expect(first).toMatchObject([
    { reason: { code: 'outcome_unknown' } },
    { reason: { code: 'outcome_unknown' } },
    { reason: { code: 'overloaded' } },
  ])
  holder.exec('COMMIT')
  holder.close()
  await Promise.allSettled(ahead)
  await untilReady(store)
  await expect(store.append(addition('entity-a'))).resolves.toMatchObject({ replayed: false })
  await store.close()
})

/**
 * Gives the writer an append that waits for the lock as long as any: those that come behind it are due
 * long before the writer gets to them.
 */
async function occupyWriter(store: EventStore): Promise<readonly Promise<unknown>[]> {
  const ahead = [store.append(addition('entity-a'))]
  await immediate()
  return ahead
}

/** A group that failed for the lock is told once, at the check after it, if the lock made it fail. */
async function untilReady(store: StoreHealth): Promise<void> {
  const isReady = () =>
    store.check().then(
      () => true,
      () => false,
    )
  while (!(await isReady())) await immediate()
}
