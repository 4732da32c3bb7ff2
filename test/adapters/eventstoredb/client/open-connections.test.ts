import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, describe, expect, it } from '@jest/globals'
import { FactSubscription } from '../../../../src/adapters/eventstoredb/log/subscription.js'
import type { EventStoreDouble } from '../../../support/eventstoredb/event-store-double.js'
import { quickOrThorough } from '../../../support/thoroughness.js'
import { creation } from '../../../support/stored-facts.js'
import { TlsFolder } from '../../../support/tls-folder.js'
import { bench, clusterUrl, lead, longTimeoutMs } from '../open-store.js'

const { start, open } = bench()
const tls = new TlsFolder()
afterAll(() => {
  tls.remove()
})

const freezes = quickOrThorough({ quick: 1, thorough: 10 })
/** Slightly longer than the silence after which a client is replaced, in milliseconds. */
const shortMs = 900

describe('a client that was replaced', () => {
  it('leaves no connection open, time after time', async () => {
    const double = await start({ tls })
    const store = open(double.connectionString, shortMs)
    await store.append(creation('entity-0'))
    expect(double.connectionCount).toBe(1)
    for (let n = 1; n <= freezes; n += 1) {
      double.faults.hold('beforeRead', { times: Infinity })
      double.faults.hold('beforeRead', { rpc: 'read', times: Infinity })
      await expect(store.append(creation(`entity-${String(n)}`))).rejects.toMatchObject({
        code: 'outcome_unknown',
      })
      double.faults.clear()
      await store.append(creation(`entity-${String(n)}-after`))
    }
    await untilOpen(1, double)
  }, 60_000)

  it('leaves no connection to earlier leaders', async () => {
    const [before, after] = [await start(), await start()]
    const store = open(clusterUrl(before, after), shortMs)
    lead(before, before, after)
    await store.append(creation('entity-a'))
    before.faults.hold('beforeRead', { times: Infinity })
    lead(after, before, after)
    await expect(store.append(creation('entity-b'))).rejects.toMatchObject({
      code: 'outcome_unknown',
    })
    await store.append(creation('entity-b'))
    await untilOpen(0, before)
    await untilOpen(1, after)
  })

  it('leaves no connection that was still being opened', async () => {
    const double = await start()
    double.faults.hold('beforeRead', { rpc: 'gossip', times: Infinity })
    const store = open(clusterUrl(double, double), shortMs)
    await expect(store.append(creation('entity-a'))).rejects.toMatchObject({
      code: 'store_unavailable',
    })
    double.faults.clear()
    await store.close()
    await untilOpen(0, double)
  })
})

it.each(['over TLS', 'without TLS'])('a closed store has no connection, %s', async (how) => {
  const double = await start(how === 'over TLS' ? { tls } : {})
  const store = open(double.connectionString)
  await store.append(creation('entity-a'))
  await store.check()
  await store.close()
  await untilOpen(0, double)
})

it('an ended subscription has no connection', async () => {
  const double = await start({ tls })
  const stop = new AbortController()
  const { signal } = stop
  const subscription = new FactSubscription({
    url: double.connectionString,
    after: undefined,
    signal,
    handle: () => undefined,
    caughtUp: () => {
      stop.abort()
    },
  })
  await subscription.run()
  await untilOpen(0, double)
})

/** Waits, because a connection closes some ticks after its last call. */
async function untilOpen(count: number, double: EventStoreDouble): Promise<void> {
  const dueAt = performance.now() + longTimeoutMs
  while (double.connectionCount !== count && performance.now() < dueAt) await pause(20)
  expect(double.connectionCount).toBe(count)
}
