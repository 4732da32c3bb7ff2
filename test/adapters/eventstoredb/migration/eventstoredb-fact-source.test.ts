import { createHmac, randomUUID } from 'node:crypto'
import { ANY, EventStoreDBClient, jsonEvent } from '@eventstore/db-client'
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { parseConnectionUrl } from '../../../../src/adapters/eventstoredb/client/connection-url.js'
import { EventStoreDbFactSource } from '../../../../src/adapters/eventstoredb/migration/eventstoredb-fact-source.js'
import { toStored } from '../../../../src/application/facts/fact-format.js'
import type { Fact } from '../../../../src/application/facts/fact-table.js'
import { CopyRefused } from '../../../../src/application/migration/ports/copy-refused.js'
import { UnreadableFact } from '../../../../src/application/facts/unreadable-fact.js'
import { StoreNotOpened } from '../../../../src/application/ports/refusal.js'
import { factsIn } from '../../../contracts/fact-target-contract.js'
import { EventStoreDouble } from '../../../support/eventstoredb/event-store-double.js'
import { FactWriter } from '../../../support/fact-writer.js'
import { creation, storedFact } from '../../../support/stored-facts.js'

let double: EventStoreDouble

beforeEach(async () => {
  erasures = 0
  double = await EventStoreDouble.start()
})

afterEach(async () => {
  await double.close()
})

function options() {
  const url = parseConnectionUrl(double.connectionString)
  if (url === undefined) throw new TypeError('not a connection string')
  return { url, timeoutMs: 5_000, retryForMs: 20_000 }
}

let erasures = 0

async function recordErasure({ store }: FactWriter, externalId: string): Promise<void> {
  const id = randomUUID()
  const subject = createHmac('sha256', id).update(externalId).digest('hex')
  const data = { entityId: randomUUID(), suppress: false, recipients: [], subject }
  const fact: Fact = {
    id,
    type: 'EntityErasureRecorded',
    data: { ...data, at: '2026-11-20T09:30:00.007Z' },
  }
  const facts = [toStored(fact, { requestId: 'r', keyHash: undefined })]
  await store.appendAt({ stream: 'erasures', revision: erasures - 1, facts })
  erasures += 1
}

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
      { expectedRevision: ANY },
    )
  const removed = async () => [...(await source.removed())]

  it('is our facts: system streams, the probe and other types are passed over', async () => {
    await write('dossier-probe')
    await write('entity-a', 2)
    await write('entity')
    await write('other-b')
    await client.setStreamMetadata('entity-a', { custom: 1 })
    await client.appendToStream('entity-a', jsonEvent({ type: 'Other', data: {} }))
    expect((await factsIn(source)).map(({ stream }) => stream)).toEqual(['entity-a', 'entity-a'])
    expect(await removed()).toEqual([])
  })

  it.each([
    ['deleted', () => client.deleteStream('entity-gone')],
    ['removed for good', () => client.tombstoneStream('entity-gone')],
  ])('says which streams were %s, as of now', async (_, remove) => {
    for (const stream of ['entity-gone', 'entity-a', 'other-b', 'entity-gone']) await write(stream)
    expect(await removed()).toEqual([])
    await client.deleteStream('other-b')
    await remove()
    expect(await removed()).toEqual(['entity-gone'])
    for (let n = 0; n < 70; n += 1) await write('entity-b')
    await client.tombstoneStream('entity-b')
    expect(await removed()).toEqual(['entity-gone', 'entity-b'])
  })

  it('finds a removed stream though its connection is cut', async () => {
    await write('entity-gone')
    await client.deleteStream('entity-gone')
    double.faults.drop('beforeRead', { rpc: 'read', stream: '$all' })
    expect(await removed()).toEqual(['entity-gone'])
  })

  it.each<[string, () => Promise<unknown>]>([
    ['is gone', () => client.setStreamMetadata('entity-a', { truncateBefore: 1 })],
    ['may be gone by count', () => client.setStreamMetadata('entity-a', { maxCount: 10 })],
    ['may be gone by age', () => client.setStreamMetadata('entity-a', { maxAge: 10 })],
    ['was removed before it was begun anew', () => begunAnew('entity-a')],
  ])('refuses a stream whose beginning %s', async (_, cut) => {
    await write('entity-a', 3)
    await cut()
    await expect(removed()).rejects.toThrow(CopyRefused)
    await expect(removed()).rejects.toThrow(/"entity-a" was truncated/)
  })

  async function begunAnew(stream: string): Promise<void> {
    await client.deleteStream(stream)
    await write(stream)
    // The server marks the stream as begun anew after it has acknowledged the write: a later write is behind the mark.
    await write('other-b')
  }

  it('leaves out what a person who was erased had, where her name was given to another, and only that', async () => {
    const writer = new FactWriter(double.connectionString)
    const names = ['ada', 'adam', 'eve']
    for (const name of names) {
      await writer.create(name)
      await writer.record(name, 'old')
      await client.deleteStream(`entity-${name}`)
      await writer.create(name)
    }
    await writer.create('other')
    await expect(removed()).rejects.toThrow(/"entity-ada" was truncated/)
    for (const name of ['ada', 'adam']) await recordErasure(writer, name)
    await expect(removed()).rejects.toThrow(/"entity-eve" was truncated/)
    await recordErasure(writer, 'eve')
    const isErasure = (stream: string) => stream === 'erasures'
    const all = async () => (await factsIn(source)).map(({ stream }) => stream)
    expect(await removed()).toEqual([])
    const left = ['entity-ada', 'entity-adam', 'entity-eve', 'entity-other']
    expect((await all()).filter((stream) => !isErasure(stream))).toEqual(left)
    expect((await all()).filter(isErasure)).toHaveLength(3)
    double.scavenge()
    expect(await removed()).toEqual([])
    expect((await all()).filter((stream) => !isErasure(stream))).toEqual(left)
    await writer.close()
  })

  it('refuses a stream of an erased person that was truncated later', async () => {
    const writer = new FactWriter(double.connectionString)
    await writer.create('ada')
    await client.deleteStream('entity-ada')
    await writer.create('ada')
    await writer.record('ada', 'young')
    await recordErasure(writer, 'ada')
    await client.setStreamMetadata('entity-ada', { truncateBefore: 2 })
    await expect(removed()).rejects.toThrow(/"entity-ada" was truncated/)
    await writer.close()
  })

  it('takes a limit back that was lifted', async () => {
    await write('entity-a', 3)
    await client.setStreamMetadata('entity-a', { maxCount: 10 })
    await client.setStreamMetadata('entity-a', {})
    expect(await removed()).toEqual([])
  })

  it('refuses what is no JSON', async () => {
    await client.appendToStream('entity-a', {
      id: storedFact().id,
      type: 'EventRecorded',
      contentType: 'application/octet-stream',
      data: Buffer.from([1]),
      metadata: { schemaVersion: 1 },
    })
    const pages = source.log.follow(0, new AbortController().signal)[Symbol.asyncIterator]()
    await expect(pages.next()).rejects.toThrow(UnreadableFact)
  })

  it.each([
    ['data', { data: '{"n":1}}' }],
    ['metadata', { metadata: '{schemaVersion:1}' }],
  ])('refuses %s that only look like JSON', async (_what, text) => {
    const writer = new FactWriter(double.connectionString)
    await writer.store.append(creation('entity-a', { ...storedFact(), ...text }))
    await writer.close()
    const pages = source.log.follow(0, new AbortController().signal)[Symbol.asyncIterator]()
    await expect(pages.next()).rejects.toThrow(UnreadableFact)
  })

  it('is read to the end though its connection is cut', async () => {
    await write('entity-a', 5)
    for (let n = 0; n < 3; n += 1) double.faults.drop('beforeRead', { rpc: 'read', stream: '$all' })
    const { newest } = await source.log.head()
    double.faults.drop('beforeRead', { rpc: 'read', stream: '$all' })
    const found: number[] = []
    for await (const { facts, reached } of source.log.follow(0, new AbortController().signal)) {
      found.push(...facts.map(({ position }) => position))
      if (reached >= newest) break
    }
    expect(found).toHaveLength(5)
  })
})

it('is not opened when no server answers', async () => {
  const closed = options()
  await double.refuseConnections()
  await expect(EventStoreDbFactSource.open(closed)).rejects.toThrow(StoreNotOpened)
  await double.listen()
})
