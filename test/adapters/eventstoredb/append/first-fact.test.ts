import { describe, expect, it } from '@jest/globals'
import { readFirst } from '../../../../src/adapters/eventstoredb/append/first-fact.js'
import type { RecordedFact } from '../../../../src/adapters/eventstoredb/append/connection.js'
import type { StreamAccess } from '../../../../src/adapters/eventstoredb/append/stream-access.js'
import { Refusal } from '../../../../src/application/ports/refusal.js'
import { addition, creation, storedFact } from '../../../support/stored-facts.js'
import { asAnother, bench, closedPort, idsIn } from '../open-store.js'

const { start, open } = bench()
const first = { ...addition('entity-a'), expected: 'first' } as const

const fact: RecordedFact = { fact: storedFact(), revision: 0n, position: 7n, key: undefined }

/** Returns access to a stream that reads as missing for this many reads. */
function visibleAfter(reads: number): StreamAccess & { readonly reads: () => number } {
  let done = 0
  return {
    append: () => Promise.reject(new TypeError('nothing may be appended')),
    read: () => {
      done += 1
      return Promise.resolve(done > reads ? [fact] : undefined)
    },
    findKey: () => Promise.resolve({ kind: 'none' }),
    removed: (code) => new Refusal(code),
    timeIsUp: () => false,
    pause: () => Promise.resolve(),
    reads: () => done,
  }
}

describe('the first fact of a stream', () => {
  it('is read again when readers do not see the stream yet', async () => {
    expect(await readFirst(visibleAfter(3))).toEqual({
      position: '7',
      facts: [fact.fact],
      replayed: true,
    })
  })

  it('is missing when several reads do not find it, or at the timeout', async () => {
    const many = visibleAfter(Infinity)
    await expect(readFirst(many)).rejects.toMatchObject({ code: 'stream_missing' })
    expect(many.reads()).toBeGreaterThan(3)
    const short = visibleAfter(Infinity)
    await expect(readFirst({ ...short, timeIsUp: () => true })).rejects.toMatchObject({
      code: 'stream_missing',
    })
    expect(short.reads()).toBe(1)
  })

  it('is missing in a deleted stream', async () => {
    const double = await start()
    const store = open(double.connectionString)
    await store.append(creation('entity-a'))
    await asAnother(double, (client) => client.tombstoneStream('entity-a'))
    await expect(store.append(first)).rejects.toMatchObject({ code: 'stream_missing' })
  })

  it('is unavailable when no server is listening, or when the read is refused or cut', async () => {
    const { port } = await closedPort()
    const nowhere = open(`esdb://127.0.0.1:${String(port)}?tls=false`)
    await expect(nowhere.append(first)).rejects.toMatchObject({ code: 'store_unavailable' })
    const double = await start()
    const store = open(double.connectionString)
    await store.append(creation('entity-a'))
    double.faults.drop('beforeRead', { rpc: 'read' })
    await expect(store.append(first)).rejects.toMatchObject({ code: 'store_unavailable' })
    expect((await store.append(first)).facts.map(({ id }) => id)).toEqual(idsIn(double, 'entity-a'))
  })

  it('is unavailable when the server hangs, within the timeout', async () => {
    const double = await start()
    await open(double.connectionString).append(creation('entity-a'))
    const gate = double.faults.hold('beforeRead', { rpc: 'read', times: Infinity })
    const hasty = open(double.connectionString, 100)
    await expect(hasty.append(first)).rejects.toMatchObject({ code: 'store_unavailable' })
    gate.release()
  })
})
