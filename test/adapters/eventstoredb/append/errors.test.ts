import { afterEach, describe, expect, it } from '@jest/globals'
import { Connection } from '../../../../src/adapters/eventstoredb/append/connection.js'
import { openEventStore } from '../../../../src/adapters/eventstoredb/append/open-event-store.js'
import { StoreNotOpened } from '../../../../src/application/ports/refusal.js'
import type { EventStoreDouble } from '../../../support/eventstoredb/event-store-double.js'
import type { ServerRefusal } from '../../../support/eventstoredb/faults.js'
import { silentLog } from '../../../support/silent-log.js'
import { addition, creation, keyed, keyHash, storedFact } from '../../../support/stored-facts.js'
import { movedClock } from '../moved-clock.js'
import {
  asAnother,
  bench,
  closedPort,
  clusterUrl,
  idsIn,
  longTimeoutMs,
  urlOf,
} from '../open-store.js'

const { start, open } = bench()
const clock = movedClock()
const connections: Connection[] = []

afterEach(async () => {
  for (const connection of connections.splice(0)) await connection.close()
})

function connect(url: string): Connection {
  const connection = new Connection(urlOf(url))
  connections.push(connection)
  return connection
}

const attempt = (url: string, milliseconds = longTimeoutMs) =>
  connect(url).append('entity-a', 'no_stream', [storedFact()], milliseconds)

/** A fault of the server, and the expected reason in the answer. */
type RefusalRow = [ServerRefusal, reason: string]

describe('an append is certainly not stored', () => {
  it('when no server is listening', async () => {
    const { port } = await closedPort()
    expect(await attempt(`esdb://127.0.0.1:${String(port)}?tls=false`)).toEqual({
      kind: 'refused',
      reason: expect.stringMatching(/^14 UNAVAILABLE: No connection established\./),
    })
  })

  it('when none of several hosts is reachable', async () => {
    const url = clusterUrl(await closedPort(), await closedPort())
    expect(await attempt(url)).toEqual({
      kind: 'refused',
      reason: 'Failed to discover after 3 attempts.',
    })
  })

  it('when the host name cannot be resolved', async () => {
    const host = `${'x'.repeat(64)}.invalid`
    expect(await attempt(`esdb://${host}:2113?tls=false`)).toEqual({
      kind: 'refused',
      reason: expect.stringMatching(/^14 UNAVAILABLE: Name resolution failed for target /),
    })
  })

  it.each([
    ['server-not-ready', 'Server Is Not Ready'],
    ['not-leader', '5 NOT_FOUND: Leader info available'],
    ['no-leader-info', 'No leader info available in response'],
    ['access-denied', 'AccessDenied'],
    ['unauthenticated', '16 UNAUTHENTICATED: Unauthenticated'],
  ] satisfies RefusalRow[])('when the server refuses it: %s, %s', async (refusal, reason) => {
    const double = await start()
    double.faults.refuse(refusal)
    const answer = await attempt(double.connectionString)
    expect(answer).toEqual({ kind: 'refused', reason })
    expect(idsIn(double, 'entity-a')).toEqual([])
  })

  it('when it reaches a follower', async () => {
    const [follower, leader] = [await start(), await start()]
    follower.reportLeader({ address: '127.0.0.1', port: leader.port })
    const connection = connect(follower.connectionString)
    const send = () => connection.append('entity-a', 'no_stream', [storedFact()], longTimeoutMs)
    expect(await send()).toMatchObject({ kind: 'refused' })
    expect(idsIn(follower, 'entity-a')).toEqual([])
    expect(await send()).toMatchObject({ kind: 'stored' })
    expect(idsIn(leader, 'entity-a')).toHaveLength(1)
  })

  const small = { append: 2_000, event: 1_000 }
  const ofBytes = (size: number) => storedFact({ x: 'x'.repeat(size) })
  it.each([
    ['an append', [ofBytes(900), ofBytes(900), ofBytes(900)]],
    ['an event', [ofBytes(1_001)]],
    ['an event with its metadata', [storedFact({}, { x: 'x'.repeat(1_000) })]],
  ])('when it is larger than the server accepts: %s', async (_, facts) => {
    const double = await start({ limits: small })
    const connection = connect(double.connectionString)
    const answer = await connection.append('entity-a', 'no_stream', facts, longTimeoutMs)
    expect(answer).toEqual({ kind: 'too_large' })
    expect(idsIn(double, 'entity-a')).toEqual([])
  })

  it.each([
    ['the first append of a stream', creation('entity-b')],
    ['the first append of a stream, with an idempotency key', keyed(creation('entity-b'), 'k')],
    ['an append to an existing stream', addition('entity-a')],
    ['an append to an existing stream, with an idempotency key', keyed(addition('entity-a'), 'k')],
  ])('when it is %s, which the server refuses', async (_, append) => {
    const double = await start()
    const store = open(double.connectionString)
    await store.append(creation('entity-a'))
    const strict = await start({ limits: { event: 10 }, disk: double.disk })
    const refusing = open(strict.connectionString)
    await expect(refusing.append(append)).rejects.toMatchObject({ code: 'append_too_large' })
  })

  it('when it expects another state, which the answer reports', async () => {
    const double = await start()
    const connection = connect(double.connectionString)
    const send = (expected: bigint | 'no_stream' | 'stream_exists') =>
      connection.append('entity-a', expected, [storedFact()], longTimeoutMs)
    expect(await send('stream_exists')).toEqual({ kind: 'wrong', actual: undefined })
    expect(await send(7n)).toEqual({ kind: 'wrong', actual: undefined })
    expect(await send('no_stream')).toMatchObject({ kind: 'stored', revision: 0n })
    expect(await send('no_stream')).toEqual({ kind: 'wrong', actual: 0n })
    expect(idsIn(double, 'entity-a')).toHaveLength(1)
  })

  it('when the discovery of a node takes too long, without waiting for its end', async () => {
    const double = await start()
    const gossip = double.faults.hold('beforeRead', { rpc: 'gossip', times: Infinity })
    const store = open(clusterUrl(double, await closedPort()), 300)
    await expect(store.append(creation('entity-a'))).rejects.toMatchObject({
      code: 'store_unavailable',
    })
    gossip.release()
  })
})

describe('an outcome is unknown', () => {
  it('when the connection is cut, before the write and after it', async () => {
    const double = await start()
    double.faults.drop('beforeWrite')
    expect(await attempt(double.connectionString)).toMatchObject({ kind: 'unknown' })
    expect(idsIn(double, 'entity-a')).toHaveLength(0)
    double.faults.drop('afterWrite')
    expect(await attempt(double.connectionString)).toMatchObject({ kind: 'unknown' })
    expect(idsIn(double, 'entity-a')).toHaveLength(1)
  })

  it('without an answer at the deadline, and the append may be stored later', async () => {
    const double = await start()
    const gate = double.faults.hold('beforeWrite')
    const sent = attempt(double.connectionString)
    await gate.reached
    clock.advance(longTimeoutMs)
    expect(await sent).toEqual({ kind: 'unknown', reason: 'no answer in time' })
    expect(idsIn(double, 'entity-a')).toHaveLength(0)
    gate.release()
    expect(await attempt(double.connectionString)).toMatchObject({ kind: 'wrong' })
  })

  it.each([
    ['commit-timeout', 'Timeout'],
    ['request-canceled', 'Timeout'],
    ['unknown-error', 'Unknown'],
    ['server-too-busy', 'Server Is Busy'],
  ] satisfies RefusalRow[])('when the server answers %s: %s', async (refusal, reason) => {
    const double = await start()
    double.faults.refuse(refusal, {}, 'afterWrite')
    expect(await attempt(double.connectionString)).toEqual({ kind: 'unknown', reason })
    expect(idsIn(double, 'entity-a')).toHaveLength(1)
  })

  it('when a success has no position', async () => {
    const double = await start()
    double.faults.hidePosition()
    expect(await attempt(double.connectionString)).toMatchObject({ kind: 'unknown' })
    expect(idsIn(double, 'entity-a')).toHaveLength(1)
  })
})

describe('a server that does not offer BatchAppend', () => {
  it('prevents the start, with a message that names it', async () => {
    const { connectionString } = await start({ batchAppend: false })
    const opening = openEventStore({
      url: urlOf(connectionString),
      timeoutMs: 1_000,
      log: silentLog,
    })
    await expect(opening).rejects.toThrow(StoreNotOpened)
    await expect(opening).rejects.toThrow(
      /^esdb:.* cannot be used: the server does not offer BatchAppend: EventStoreDB 21\.10 or later/,
    )
  })

  it('gets no appends when it replaces another one after the start', async () => {
    const double = await start({ batchAppend: false })
    expect(await attempt(double.connectionString)).toEqual({
      kind: 'refused',
      reason: 'the server does not offer BatchAppend: EventStoreDB 21.10 or later is needed',
    })
    expect(idsIn(double, 'entity-a')).toEqual([])
  })
})

describe('a store that is not running', () => {
  it('refuses every append as unavailable, with or without an idempotency key', async () => {
    const { port } = await closedPort()
    const store = open(`esdb://127.0.0.1:${String(port)}?tls=false`)
    for (const append of [creation('entity-a'), addition('entity-a')]) {
      await expect(store.append(append)).rejects.toMatchObject({ code: 'store_unavailable' })
      await expect(store.append(keyed(append, 'k'))).rejects.toMatchObject({
        code: 'store_unavailable',
      })
    }
  })
})

describe('a stream that was deleted', () => {
  const remove = (double: EventStoreDouble) =>
    asAnother(double, (client) => client.deleteStream('entity-a'))
  const tombstone = (double: EventStoreDouble) =>
    asAnother(double, (client) => client.tombstoneStream('entity-a'))

  it.each([
    ['deleted', remove],
    ['tombstoned', tombstone],
  ])('is missing when %s, even if its idempotency keys are known', async (_, take) => {
    const double = await start()
    const store = open(double.connectionString)
    await store.append(creation('entity-a'))
    await store.append(keyed(addition('entity-a'), 'k'))
    await take(double)
    const before = idsIn(double, 'entity-a')
    const stranger = open(double.connectionString)
    for (const each of [store, stranger]) {
      await expect(each.append(addition('entity-a'))).rejects.toMatchObject({
        code: 'stream_missing',
      })
      await expect(each.append(keyed(addition('entity-a'), 'k'))).rejects.toMatchObject({
        code: 'stream_missing',
      })
      await expect(each.append(keyed(addition('entity-a'), 'l'))).rejects.toMatchObject({
        code: 'stream_missing',
      })
    }
    expect(idsIn(double, 'entity-a')).toEqual(before)
  })

  it('and tombstoned cannot be created again', async () => {
    const double = await start()
    const store = open(double.connectionString)
    await store.append(creation('entity-a'))
    await tombstone(double)
    await expect(store.append(creation('entity-a'))).rejects.toMatchObject({
      code: 'stream_removed',
    })
    await expect(store.append(keyed(creation('entity-a'), 'k'))).rejects.toMatchObject({
      code: 'stream_removed',
    })
  })

  it('can be created again, without its former idempotency keys', async () => {
    const double = await start()
    const store = open(double.connectionString)
    await store.append(creation('entity-a'))
    const former = await store.append(keyed(addition('entity-a'), 'k'))
    await remove(double)
    const again = keyed(creation('entity-a'), 'c')
    await store.append(again)
    await expect(store.append(creation('entity-a'))).rejects.toMatchObject({
      code: 'stream_exists',
    })
    expect(await store.append(again)).toMatchObject({ replayed: true, facts: again.facts })
    const late = await store.append(keyed(addition('entity-a'), 'k'))
    expect(late.replayed).toBe(false)
    expect(late.position).not.toBe(former.position)
  })
})

it("an idempotency key in a fact's metadata counts only if it is a hash", async () => {
  const double = await start()
  const store = open(double.connectionString)
  const connection = connect(double.connectionString)
  const metadata = JSON.stringify({ schemaVersion: 1, idempotencyKey: 'order-1' })
  // Appends below the port, which would refuse this key. Another program could write it.
  const foreign = { ...storedFact(), metadata }
  const answer = await connection.append('entity-a', 'no_stream', [foreign], longTimeoutMs)
  expect(answer).toMatchObject({ kind: 'stored' })
  await store.append(keyed(addition('entity-a'), 'order-2'))
  const read = await connection.read('entity-a', { from: 'start', maxCount: 2 }, longTimeoutMs)
  expect(read?.map(({ key }) => key)).toEqual([undefined, keyHash('order-2')])
})
