import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client'
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { parseConnectionUrl } from '../../../../src/adapters/eventstoredb/client/connection-url.js'
import { EventStoreDbFactSource } from '../../../../src/adapters/eventstoredb/migration/eventstoredb-fact-source.js'
import { EventStoreDbFactTarget } from '../../../../src/adapters/eventstoredb/migration/eventstoredb-fact-target.js'
import { CopyRefused } from '../../../../src/application/migration/ports/copy-refused.js'
import type { StoredFact } from '../../../../src/application/facts/stored-fact.js'
import { StoreNotOpened, StoreUnavailable } from '../../../../src/application/ports/store-errors.js'
import { factsIn, factTargetContract, namesIn } from '../../../contracts/fact-target-contract.js'
import { EventStoreDouble } from '../../../support/eventstoredb/event-store-double.js'
import { storedFact } from '../../../support/stored-facts.js'

let double: EventStoreDouble

beforeEach(async () => {
  double = await EventStoreDouble.start()
})

afterEach(async () => {
  await double.close()
})

function options(retryForMs = 20_000) {
  const url = parseConnectionUrl(double.connectionString)
  if (url === undefined) throw new TypeError('not a connection string')
  return { url, timeoutMs: 5_000, retryForMs }
}

describe('copying into and out of EventStoreDB', () => {
  factTargetContract(() => ({
    target: () => EventStoreDbFactTarget.open(options()),
    source: () => EventStoreDbFactSource.open(options()),
  }))
})

describe('a target in EventStoreDB', () => {
  let target: EventStoreDbFactTarget

  beforeEach(async () => {
    target = await EventStoreDbFactTarget.open(options())
  })

  afterEach(async () => {
    await target.close()
  })

  const append = (place: number, ...facts: StoredFact[]) =>
    target.append('entity-a', place, [{ key: undefined, facts }])
  const idsOf = (facts: readonly StoredFact[]) => facts.map(({ id }) => id)
  const stored = () => double.records('entity-a').map(({ id }) => id)

  it.each([
    ['the beginning', 0],
    ['the rest', 2],
  ])('stores %s once, though the connection was cut before the answer', async (_, place) => {
    const facts = Array.from({ length: place + 3 }, () => storedFact())
    if (place > 0) await append(0, ...facts.slice(0, place))
    double.faults.drop('afterWrite')
    await append(place, ...facts.slice(place))
    expect(stored()).toEqual(idsOf(facts))
  })

  it.each(['server-not-ready', 'commit-timeout', 'unknown-error', 'not-leader'] as const)(
    'goes on after %s',
    async (refusal) => {
      const facts = [storedFact(), storedFact()]
      double.faults.refuse(refusal, {}, 'afterWrite')
      await append(0, ...facts)
      expect(stored()).toEqual(idsOf(facts))
    },
  )

  it('knows an append of an earlier process again, after a restart of the server too', async () => {
    const facts = [storedFact(), storedFact(), storedFact()]
    await append(0, facts[0] ?? storedFact())
    await append(1, ...facts.slice(1))
    await double.restart()
    await append(1, ...facts.slice(1))
    expect(stored()).toEqual(idsOf(facts))
  })

  it('gives up when its time is up, and says why', async () => {
    const hasty = await EventStoreDbFactTarget.open(options(0))
    double.faults.refuse('unknown-error', { times: 100 })
    const run = { key: undefined, facts: [storedFact()] }
    await expect(hasty.append('entity-a', 0, [run])).rejects.toThrow(StoreUnavailable)
    await hasty.close()
  })

  const fact = storedFact()
  it.each([
    ['data with white space', { ...fact, data: '{ "n": 1 }' }],
    ['a number beyond a double', { ...fact, data: '{"n":12345678901234567890}' }],
    ['members in an order of their own', { ...fact, data: '{"b":1,"1":2}' }],
    ['data that is no object', { ...fact, data: '1' }],
    ['metadata that is no JSON', { ...fact, metadata: '' }],
    ['an id in upper case', { ...fact, id: fact.id.toUpperCase() }],
    ['an id that is no UUID', { ...fact, id: 'x' }],
    ['a system type', { ...fact, type: '$metadata' }],
  ])('refuses %s, naming the fact, and stores nothing of its append', async (_, odd) => {
    const refusal = append(0, storedFact(), odd)
    await expect(refusal).rejects.toThrow(CopyRefused)
    await expect(refusal).rejects.toThrow(`fact ${odd.id} of stream "entity-a"`)
    expect(stored()).toEqual([])
  })
})

describe('a source in EventStoreDB', () => {
  let client: EventStoreDBClient
  let source: EventStoreDbFactSource

  beforeEach(async () => {
    client = EventStoreDBClient.connectionString(double.connectionString)
    source = await EventStoreDbFactSource.open(options())
  })

  afterEach(async () => {
    await source.close()
    await client.dispose()
  })

  const write = (stream: string, count = 1) =>
    client.appendToStream(
      stream,
      Array.from({ length: count }, (_, n) =>
        jsonEvent({ type: 'EventRecorded', data: { n }, metadata: { schemaVersion: 1 } }),
      ),
    )

  it('is the streams of entities: system streams and the probe are passed over', async () => {
    await write('dossier-probe')
    await write('entity-a', 2)
    await write('entity')
    await write('other-b')
    await client.setStreamMetadata('entity-a', { custom: 1 })
    expect(await namesIn(source)).toEqual(['entity-a'])
    expect(await source.survey()).toMatchObject({ facts: 2 })
  })

  it('sees its head move when a fact of an entity comes, and only then', async () => {
    await write('entity-a')
    const before = await source.survey()
    await write('dossier-probe')
    expect(await source.survey()).toEqual(before)
    await write('entity-a')
    const after = await source.survey()
    expect(after.facts).toBe(2)
    expect(after.head).not.toBe(before.head)
  })

  it.each([
    ['deleted', () => client.deleteStream('entity-gone')],
    ['removed for good', () => client.tombstoneStream('entity-gone')],
  ])('has no facts of a stream that was %s', async (_, remove) => {
    await write('entity-gone', 3)
    await write('entity-a', 2)
    await remove()
    expect(await namesIn(source)).toEqual(['entity-gone', 'entity-a'])
    expect(await factsIn(source, 'entity-gone')).toEqual([])
    expect(await source.survey()).toMatchObject({ facts: 2 })
  })

  it('refuses a stream whose beginning is gone', async () => {
    await write('entity-a', 3)
    await client.setStreamMetadata('entity-a', { truncateBefore: 1 })
    await expect(factsIn(source, 'entity-a')).rejects.toThrow(/"entity-a" was truncated/)
  })

  it('refuses what is no JSON', async () => {
    await client.appendToStream('entity-a', {
      id: storedFact().id,
      type: 'EventRecorded',
      contentType: 'application/octet-stream',
      data: Buffer.from([1]),
      metadata: { schemaVersion: 1 },
    })
    await expect(factsIn(source, 'entity-a')).rejects.toThrow(/is no JSON object/)
  })

  it('is read to the end though connections are cut', async () => {
    await write('entity-a', 5)
    double.faults.drop('beforeRead', { rpc: 'read', stream: 'entity-a' })
    expect(await factsIn(source, 'entity-a')).toHaveLength(5)
    double.faults.drop('beforeRead', { rpc: 'read', stream: '$all' })
    expect(await namesIn(source)).toEqual(['entity-a'])
  })
})

it('is not opened when no server answers', async () => {
  const closed = options()
  await double.refuseConnections()
  await expect(EventStoreDbFactSource.open(closed)).rejects.toThrow(StoreNotOpened)
  await double.listen()
})
