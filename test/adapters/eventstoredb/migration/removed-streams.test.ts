import { ANY, EventStoreDBClient, jsonEvent } from '@eventstore/db-client'
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { parseConnectionUrl } from '../../../../src/adapters/eventstoredb/client/connection-url.js'
import { EventStoreDbFactTarget } from '../../../../src/adapters/eventstoredb/migration/eventstoredb-fact-target.js'
import { CopyRefused } from '../../../../src/application/migration/ports/fact-copy.js'
import { StoreNotOpened } from '../../../../src/application/ports/refusal.js'
import { factsIn } from '../../../contracts/fact-target-contract.js'
import { EventStoreDouble } from '../../../support/eventstoredb/event-store-double.js'

let double: EventStoreDouble

beforeEach(async () => {
  double = await EventStoreDouble.start()
})

afterEach(async () => {
  await double.close()
})

function options() {
  const url = parseConnectionUrl(double.connectionString)
  if (url === undefined) throw new TypeError('not a connection string')
  return { url, timeoutMs: 60_000, retryForMs: 20_000 }
}

describe('the former contents of a target in EventStoreDB', () => {
  let client: EventStoreDBClient
  let target: EventStoreDbFactTarget

  beforeEach(async () => {
    client = EventStoreDBClient.connectionString(double.connectionString)
    target = await EventStoreDbFactTarget.open(options())
  })

  afterEach(async () => {
    await target.close()
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

  async function expectRefused(): Promise<void> {
    await expect(target.assertWhole()).rejects.toThrow(CopyRefused)
    await expect(target.assertWhole()).rejects.toThrow(
      /"entity-a" of the target was deleted or truncated.* begin again with an empty store/,
    )
  }

  it('can be our facts; system streams, the probe, and other types and their deletions are skipped', async () => {
    await write('dossier-probe')
    await write('entity-a', 2)
    await write('entity')
    await write('other-b')
    await client.setStreamMetadata('entity-a', { custom: 1 })
    await client.appendToStream('entity-a', jsonEvent({ type: 'Other', data: {} }))
    await client.deleteStream('other-b')
    await client.tombstoneStream('entity')
    expect((await factsIn(target)).map(({ stream }) => stream)).toEqual(['entity-a', 'entity-a'])
    await target.assertWhole()
  })

  it.each<[string, () => Promise<unknown>]>([
    ['was deleted', () => client.deleteStream('entity-a')],
    ['was tombstoned', () => client.tombstoneStream('entity-a')],
    ['was truncated', () => client.setStreamMetadata('entity-a', { truncateBefore: 1 })],
    ['may be truncated by count', () => client.setStreamMetadata('entity-a', { maxCount: 10 })],
    ['may be truncated by age', () => client.setStreamMetadata('entity-a', { maxAge: 10 })],
    ['was deleted and created again', () => createdAgain('entity-a')],
  ])('are refused when a stream %s', async (_, remove) => {
    await write('entity-a', 3)
    await target.assertWhole()
    await remove()
    for (let n = 0; n < 70; n += 1) await write('entity-b')
    await expectRefused()
  })

  async function createdAgain(stream: string): Promise<void> {
    await client.deleteStream(stream)
    await write(stream)
    // The server writes the stream's new metadata after it has acknowledged the deletion, and before later writes.
    await write('other-b')
  }

  it('are refused although the connection is cut during the check', async () => {
    await write('entity-a')
    await client.deleteStream('entity-a')
    double.faults.drop('beforeRead', { rpc: 'read', stream: '$all' })
    await expectRefused()
  })

  it('are accepted when a limit was removed', async () => {
    await write('entity-a', 3)
    await client.setStreamMetadata('entity-a', { maxCount: 10 })
    await client.setStreamMetadata('entity-a', {})
    await target.assertWhole()
  })

  it('are read to the end although the connection is cut', async () => {
    await write('entity-a', 5)
    for (let n = 0; n < 3; n += 1) double.faults.drop('beforeRead', { rpc: 'read', stream: '$all' })
    const { newest } = await target.log.head()
    double.faults.drop('beforeRead', { rpc: 'read', stream: '$all' })
    const found: number[] = []
    for await (const { facts, reached } of target.log.follow(0, new AbortController().signal)) {
      found.push(...facts.map(({ position }) => position))
      if (reached >= newest) break
    }
    expect(found).toHaveLength(5)
  })
})

it('cannot be checked when no server answers', async () => {
  const closed = options()
  await double.refuseConnections()
  await expect(EventStoreDbFactTarget.open(closed)).rejects.toThrow(StoreNotOpened)
  await double.listen()
})
