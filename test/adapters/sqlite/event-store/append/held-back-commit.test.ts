import { join } from 'node:path'
import { setImmediate as immediate } from 'node:timers/promises'
import { afterEach, expect, it, jest } from '@jest/globals'
import { openDatabase } from '../../../../../src/adapters/sqlite/file/driver.js'
import { limitInFlight } from '../../../../../src/application/recording/limit-in-flight.js'
import type { EventStore } from '../../../../../src/application/recording/ports/event-store.js'
import { openSqliteStore } from '../../../../support/open-sqlite-store.js'
import { addition, creation, keyed } from '../../../../support/stored-facts.js'
import { temporaryFolders } from '../../../../support/temporary-folder.js'

const folder = temporaryFolders()

/** The writer waits as long for the lock, in real time. The callers wait in fake time. */
const timeoutMs = 60_000

afterEach(() => {
  jest.useRealTimers()
})

it('an append has an unknown outcome at its time-out, delays nothing else, and is later found by its key', async () => {
  const path = join(folder(), 'dossier.db')
  const store = await openSqliteStore(path, { timeoutMs })
  jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] })
  await store.append(creation('entity-a'))
  const holder = openDatabase(path)
  holder.exec('BEGIN IMMEDIATE')
  const results = await settledAtTimeout(store, () => [
    store.append(keyed(addition('entity-a'), 'k')),
    store.append(addition('entity-a')),
  ])
  for (const result of results) {
    expect(result).toEqual({
      status: 'rejected',
      reason: expect.objectContaining({ code: 'outcome_unknown' }),
    })
  }
  jest.useRealTimers()
  holder.exec('COMMIT')
  holder.close()
  const receipt = await store.append(keyed(addition('entity-a'), 'k'))
  expect(await store.append(keyed(addition('entity-a'), 'k'))).toEqual({
    ...receipt,
    replayed: true,
  })
  await store.close()
})

it('the limit of waiting appends also counts appends whose callers no longer wait', async () => {
  const path = join(folder(), 'dossier.db')
  const store = await openSqliteStore(path, { timeoutMs })
  jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] })
  const limited = limitInFlight(store, { appends: 3, bytes: 10_000 })
  await store.append(creation('entity-a'))
  const holder = openDatabase(path)
  holder.exec('BEGIN IMMEDIATE')
  const first = await settledAtTimeout(store, () =>
    [addition, addition, addition].map((add) => limited.append(add('entity-a'))),
  )
  expect(first).toMatchObject([
    { reason: { code: 'outcome_unknown' } },
    { reason: { code: 'outcome_unknown' } },
    { reason: { code: 'overloaded' } },
  ])
  jest.useRealTimers()
  holder.exec('COMMIT')
  holder.close()
  await expect(store.append(addition('entity-a'))).resolves.toMatchObject({ replayed: false })
  await store.close()
})

/**
 * Sends an append that waits for the lock in the writer, and then the other appends, which wait behind it. Returns
 * the results of the others after their time-out has passed in fake time.
 */
async function settledAtTimeout(store: EventStore, others: () => readonly Promise<unknown>[]) {
  const first = Promise.allSettled([store.append(addition('entity-a'))])
  await immediate()
  const results = Promise.allSettled(others())
  await jest.advanceTimersByTimeAsync(timeoutMs)
  await first
  return await results
}
