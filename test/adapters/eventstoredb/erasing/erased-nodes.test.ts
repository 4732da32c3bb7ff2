import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from '@jest/globals'
import type { EventStoreDbEventStore } from '../../../../src/adapters/eventstoredb/append/eventstoredb-event-store.js'
import { toStored } from '../../../../src/application/facts/fact-format.js'
import type { EventStoreDouble } from '../../../support/eventstoredb/event-store-double.js'
import { FactWriter } from '../../../support/fact-writer.js'
import { bench, lead, longTimeoutMs } from '../open-store.js'

const { start, open } = bench()
const shutdown = () => new AbortController().signal

let double: EventStoreDouble
let store: EventStoreDbEventStore
/** The positions of the facts to remove. */
let positions: readonly string[]

beforeEach(async () => {
  double = await start()
  store = open(double.connectionString, longTimeoutMs, true)
  const writer = new FactWriter(double.connectionString)
  await writer.create('ada')
  for (let n = 0; n < 40; n += 1) await writer.record('ada', 'purchase')
  await writer.close()
  const facts = double.records('entity-ada')
  positions = facts.map(({ position }) => String(position))
  const entityId = facts[0]?.id ?? ''
  const data = { erasureId: 'e', entityId, at: '2026-11-20T09:30:00.007Z' }
  const fact = toStored(
    { id: randomUUID(), type: 'EntityErased', data },
    { requestId: 'r', keyHash: undefined },
  )
  await store.erasable.close({ externalId: 'ada', entityId, fact, suppress: false })
})

const check = (signal = shutdown(), some = positions) =>
  store.erasable.check({ positions: some }, signal)
const nodeOf = (one: { readonly port: number }) => `127.0.0.1:${String(one.port)}`
const place = 'eventstoredb'
const waits = { state: 'waiting', for: 'scavenge' }

/** A node with the present data of the first node. */
async function anotherNode(): Promise<EventStoreDouble> {
  const other = await start({ disk: double.disk.copy() })
  lead(double, double, other)
  return other
}

describe('checking the nodes for removed facts', () => {
  it('waits for a scavenge while the node has one of the facts', async () => {
    const node = nodeOf(double)
    expect(await check()).toEqual([{ place, node, ...waits }])
    expect(await check(shutdown(), positions.slice(-1))).toEqual([{ place, node, ...waits }])
    double.scavenge()
    const verified = expect.stringContaining('nothing at 41 positions')
    expect(await check()).toEqual([{ place, node, state: 'purged', verified }])
  })

  it('checks each node of a cluster separately', async () => {
    const other = await anotherNode()
    other.scavenge()
    expect(await check()).toMatchObject([
      { node: nodeOf(double), ...waits },
      { node: nodeOf(other), state: 'purged' },
    ])
  })

  it('checks the named node and not the leader that the URL leads to', async () => {
    const other = await anotherNode()
    lead(other, double, other)
    other.scavenge()
    const url = `esdb+discover://127.0.0.1:${String(double.port)}?tls=false`
    const { erasable } = open(url, longTimeoutMs, true)
    expect(await erasable.check({ positions }, shutdown())).toMatchObject([
      { node: nodeOf(double), ...waits },
      { node: nodeOf(other), state: 'purged' },
    ])
  })

  it('reports a node as unreachable when it does not answer or lags', async () => {
    const behind = await start()
    lead(double, double, behind)
    const unreachable = { state: 'waiting', for: 'unreachable' }
    expect(await check()).toMatchObject([waits, { node: nodeOf(behind), ...unreachable }])
    await behind.refuseConnections()
    expect(await check()).toMatchObject([waits, { node: nodeOf(behind), ...unreachable }])
    await behind.listen()
  })

  it('checks the node of the URL when the user may not list the nodes', async () => {
    await anotherNode()
    double.faults.refuse('access-denied', { rpc: 'gossip' })
    expect(await check()).toMatchObject([{ node: nodeOf(double), ...waits }])
  })

  it('rejects when the nodes cannot be listed', async () => {
    double.faults.refuse('server-not-ready', { rpc: 'gossip' })
    await expect(check()).rejects.toMatchObject({ code: 'store_unavailable' })
  })

  it('ends at a shutdown', async () => {
    const stopping = new AbortController()
    const gate = double.faults.hold('beforeRead', { rpc: 'read', stream: '$all' })
    const checked = check(stopping.signal)
    checked.catch(() => undefined)
    await gate.reached
    stopping.abort()
    await expect(checked).rejects.toThrow()
    gate.release()
  })

  it('reports purged without positions, and says that nothing was checked', async () => {
    expect(await check(shutdown(), [])).toEqual([
      { place, state: 'purged', verified: expect.stringContaining('nothing else was looked at') },
    ])
  })
})

it('never allows reuse of a blocked id', async () => {
  await expect(store.erasable.release()).rejects.toMatchObject({ code: 'not_possible' })
})
