import { randomUUID } from 'node:crypto'
import { ANY, jsonEvent, type EventStoreDBClient } from '@eventstore/db-client'
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import type { EventStoreDbEventStore } from '../../../../src/adapters/eventstoredb/append/eventstoredb-event-store.js'
import { noRevision } from '../../../../src/application/ports/exact-appends.js'
import { WrongRevision } from '../../../../src/application/ports/refusal.js'
import { officialClient } from '../../../support/official-client.js'
import { storedFact } from '../../../support/stored-facts.js'
import { openStoreAt } from '../open-store.js'

/** Appends facts as another program. */
export async function appendBeside(
  client: EventStoreDBClient,
  stream: string,
  count: number,
): Promise<void> {
  const events = Array.from({ length: count }, (_, n) =>
    jsonEvent({ type: 'EventRecorded', data: { n }, metadata: { schemaVersion: 1 } }),
  )
  await client.appendToStream(stream, events, { expectedRevision: ANY })
}

/** Tests streams that another program deleted or truncated, on a server or its double. */
export function removedStreams(start: () => Promise<string>): void {
  describe('a stream that was deleted or truncated', () => {
    let client: EventStoreDBClient
    let store: EventStoreDbEventStore
    let stream: string

    beforeEach(async () => {
      const url = await start()
      client = officialClient(url)
      store = openStoreAt(url)
      stream = `members-${randomUUID()}`
    })

    afterEach(async () => {
      await store.close()
      await client.dispose()
    })

    const appendAt = (revision: number) =>
      store.appendAt({ stream, revision, facts: [storedFact()] })

    it.each<[string, () => Promise<unknown>]>([
      ['deleted', () => client.deleteStream(stream)],
      ['tombstoned', () => client.tombstoneStream(stream)],
      ['truncated', () => client.setStreamMetadata(stream, { truncateBefore: 2 })],
      ['truncated by more than a page', () => truncateLong()],
      ['truncated completely', () => client.setStreamMetadata(stream, { truncateBefore: 3 })],
    ])('because it was %s is not new, and cannot be read', async (_, remove) => {
      await appendBeside(client, stream, 3)
      await remove()
      await expect(appendAt(noRevision)).rejects.toMatchObject({ code: 'stream_removed' })
      await expect(store.readStream(stream, 0)).rejects.toMatchObject({ code: 'stream_removed' })
    })

    async function truncateLong(): Promise<void> {
      await appendBeside(client, stream, 597)
      await client.setStreamMetadata(stream, { truncateBefore: 550 })
    }

    it('by a limit on its facts cannot be read from a missing revision on', async () => {
      await appendBeside(client, stream, 5)
      await client.setStreamMetadata(stream, { maxCount: 2 })
      await expect(store.readStream(stream, 0)).rejects.toMatchObject({ code: 'stream_removed' })
      expect(await store.readStream(stream, 3)).toHaveLength(2)
      await expect(appendAt(noRevision)).rejects.toEqual(new WrongRevision(4))
    })

    it('can be continued by a writer that knows its revision', async () => {
      await appendBeside(client, stream, 3)
      await client.deleteStream(stream)
      await expect(appendAt(1)).rejects.toEqual(new WrongRevision(2))
      expect(await appendAt(2)).toMatchObject({ revision: 3 })
      await expect(appendAt(noRevision)).rejects.toMatchObject({ code: 'stream_removed' })
    })

    it('with metadata but without facts counts as new', async () => {
      await client.setStreamMetadata(stream, { acl: { readRoles: ['$all'] } })
      expect(await store.readStream(stream, 0)).toEqual([])
      await expect(appendAt(0)).rejects.toEqual(new WrongRevision(noRevision))
      expect(await appendAt(noRevision)).toMatchObject({ revision: 0 })
      expect(await store.readStream(stream, 0)).toHaveLength(1)
    })
  })
}
