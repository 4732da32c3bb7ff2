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
import { nextLook } from '../../../../support/next-look.js'

const folder = temporaryFolders()

/** The time-out is longer than any delay of this thread on a slow machine. The writer waits as long for the lock. */
const timeoutMs = 1_500

it('an append has an unknown outcome at its time-out, delays nothing else, and is later found by its key', async () => {
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

it('the limit of waiting appends also counts appends whose callers no longer wait', async () => {
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
 * Sends an append that waits for the lock until its time-out. Appends after it are due before the writer
 * reaches them.
 */
async function occupyWriter(store: EventStore): Promise<readonly Promise<unknown>[]> {
  const ahead = [store.append(addition('entity-a'))]
  await immediate()
  return ahead
}

/**
 * Waits until the store is ready. The check after a group that failed because of the lock reports this
 * failure once.
 */
async function untilReady(store: StoreHealth): Promise<void> {
  const isReady = () =>
    store.check().then(
      () => true,
      () => false,
    )
  while (!(await isReady())) await nextLook()
}
