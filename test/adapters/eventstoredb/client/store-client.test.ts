import { setImmediate as immediate } from 'node:timers/promises'
import { NotLeaderError, type Credentials } from '@eventstore/db-client'
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals'
import type { BatchCall } from '../../../../src/adapters/eventstoredb/append/batch-stream.js'
import { ServerTooOld } from '../../../../src/adapters/eventstoredb/client/answer.js'
import { StoreClient } from '../../../../src/adapters/eventstoredb/client/store-client.js'
import { readAll } from '../../../../src/adapters/eventstoredb/log/read-all.js'
import { isRefused } from '../../../../src/application/ports/refusal.js'
import { DoubleProcess } from '../../../support/double-process.js'
import type { EventStoreDouble } from '../../../support/eventstoredb/event-store-double.js'
import { addition, creation, storedFact } from '../../../support/stored-facts.js'
import { asAnother, bench, clusterUrl, idsIn, lead, longTimeoutMs, urlOf } from '../open-store.js'

const { start, open } = bench()
const clients: StoreClient[] = []
const calls: BatchCall[] = []

afterEach(async () => {
  for (const { call } of calls.splice(0)) call.cancel()
  for (const client of clients.splice(0)) await client.close()
})

const user: Credentials = { username: 'dossier', password: '' }

function clientOf(double: EventStoreDouble): StoreClient {
  const client = new StoreClient(urlOf(double.connectionString))
  clients.push(client)
  return client
}

async function callOf(client: StoreClient, checkLeaderFirst = false): Promise<BatchCall> {
  const batch = await client.batchCall(user, checkLeaderFirst)
  calls.push(batch)
  batch.call.on('error', () => undefined)
  return batch
}

// These tests cover the undocumented parts of the client that we use. An update that changes them fails here.
describe('the call for many appends', () => {
  it('comes from a client with all methods of its class', async () => {
    const double = await start()
    const client = clientOf(double)
    expect(await callOf(client)).toBeDefined()
    const removed = client.call((made) => made.tombstoneStream('a', { credentials: user }))
    await expect(removed).resolves.toHaveProperty('position')
  })

  it('is refused by a server without BatchAppend', async () => {
    const double = await start({ batchAppend: false })
    await expect(callOf(clientOf(double))).rejects.toThrow(ServerTooOld)
  })

  it('is tried again after a server could not list its methods', async () => {
    const double = await start()
    double.faults.refuse('unknown-error', { rpc: 'features' })
    const client = clientOf(double)
    await expect(callOf(client)).rejects.toThrow('Exception was thrown by handler')
    expect(await callOf(client)).toBeDefined()
  })

  it('with a leader check is not opened on a follower, but on the leader', async () => {
    const [follower, leader] = [await start(), await start()]
    follower.reportLeader({ address: '127.0.0.1', port: leader.port })
    const client = clientOf(follower)
    await expect(callOf(client, true)).rejects.toThrow(NotLeaderError)
    const met = jest.spyOn(leader.faults, 'meet')
    expect(await callOf(client, true)).toBeDefined()
    expect(met.mock.calls.map(([rpc]) => rpc)).toContain('read')
  })

  it('with a leader check is opened whatever the leader reports about the probed stream', async () => {
    const double = await start()
    expect(await callOf(clientOf(double), true)).toBeDefined()
    await asAnother(double, (client) => client.tombstoneStream('dossier-probe'))
    expect(await callOf(clientOf(double), true)).toBeDefined()
    double.faults.refuse('access-denied', { rpc: 'read' })
    expect(await callOf(clientOf(double), true)).toBeDefined()
    double.faults.refuse('unauthenticated', { rpc: 'read' })
    await expect(callOf(clientOf(double), true)).rejects.toThrow('UNAUTHENTICATED')
  })

  it('with a leader check is opened although reads hang', async () => {
    const double = await start()
    double.faults.hold('beforeRead', { rpc: 'read', times: Infinity })
    expect(await callOf(clientOf(double), true)).toBeDefined()
  })
})

describe('calls that fail while another call looks for a leader', () => {
  const unhandled: unknown[] = []
  const note = (reason: unknown) => unhandled.push(reason)
  beforeEach(() => {
    process.on('unhandledRejection', note)
  })
  afterEach(() => {
    process.off('unhandledRejection', note)
  })

  it('fail only for their callers, also when there is no leader', async () => {
    const [one, other] = [await start(), await start()]
    lead(one, one, other)
    const client = new StoreClient(urlOf(clusterUrl(one, other)))
    clients.push(client)
    const read = (stream: string) =>
      readAll(
        client,
        { stream, from: 'end', maxCount: 1 },
        { credentials: user, timeoutMs: longTimeoutMs },
      )
    const [first, second] = ['first', 'second'].map((stream) => ({
      gate: one.faults.hold('beforeRead', { rpc: 'read', stream }),
      failure: expect(read(stream)).rejects.toThrow('Server Is Not Ready'),
    }))
    await Promise.all([first?.gate.reached, second?.gate.reached])
    one.faults.refuse('server-not-ready', { rpc: 'read', times: 2 })
    first?.gate.release()
    await first?.failure
    const searches = [one, other].map(({ faults }) => {
      faults.refuse('server-not-ready', { rpc: 'gossip', times: Infinity })
      return faults.hold('beforeRead', { rpc: 'gossip' })
    })
    const third = expect(read('third')).rejects.toThrow('Failed to discover')
    await Promise.race(searches.map(({ reached }) => reached))
    second?.gate.release()
    await second?.failure
    for (const search of searches) search.release()
    await third
    await immediate()
    expect(unhandled).toEqual([])
  })
})

describe('many appends', () => {
  it('use one call, without reads', async () => {
    const double = await start()
    const store = open(double.connectionString)
    const met = jest.spyOn(double.faults, 'meet')
    const names = Array.from({ length: 50 }, (_, n) => `entity-${String(n)}`)
    await Promise.all(names.map((name) => store.append(creation(name))))
    const rpcs = met.mock.calls.map(([rpc, at]) => `${rpc} ${at}`)
    expect(rpcs.filter((rpc) => rpc === 'append afterWrite')).toHaveLength(50)
    expect(rpcs.filter((rpc) => rpc.startsWith('features'))).toHaveLength(2)
    expect(rpcs.filter((rpc) => rpc.startsWith('read'))).toEqual([])
  })

  it('to one stream are stored in the order of the calls', async () => {
    const double = await start()
    const store = open(double.connectionString)
    await store.append(creation('entity-a'))
    const appends = Array.from({ length: 100 }, () => addition('entity-a'))
    const receipts = await Promise.all(appends.map((append) => store.append(append)))
    const ids = appends.flatMap(({ facts }) => facts.map(({ id }) => id))
    expect(idsIn(double, 'entity-a').slice(1)).toEqual(ids)
    const positions = receipts.map(({ position }) => Number(position))
    expect(positions).toEqual([...positions].sort((one, other) => one - other))
  })

  it('to a node that lost its leadership: none is lost or answered wrongly', async () => {
    const [before, after] = [await start(), await start()]
    const store = open(before.connectionString)
    await store.append(creation('entity-a'))
    before.reportLeader({ address: '127.0.0.1', port: after.port })
    const names = Array.from({ length: 20 }, (_, n) => `entity-${String(n)}`)
    const sent = await Promise.allSettled(names.map((name) => store.append(creation(name))))
    expect(sent.filter(({ status }) => status === 'fulfilled')).toEqual([])
    await Promise.all(names.map((name) => store.append(creation(name))))
    for (const name of names) expect(idsIn(after, name)).toHaveLength(1)
  })
})

describe('a server process that hangs', () => {
  const processes: DoubleProcess[] = []
  afterEach(async () => {
    for (const each of processes.splice(0)) await each.end()
  })

  it('leaves sent appends unknown and others not stored, each at its deadline', async () => {
    const server = await DoubleProcess.start()
    processes.push(server)
    const store = open(server.connectionString, 1_000)
    await store.append(creation('entity-a'))
    server.freeze()
    const large = () => addition('entity-a', storedFact({ x: 'x'.repeat(200_000) }))
    const sent = await Promise.allSettled(Array.from({ length: 60 }, () => store.append(large())))
    const reasons = sent.map((each): unknown =>
      each.status === 'rejected' ? each.reason : undefined,
    )
    const unknown = reasons.filter((reason) => isRefused(reason, 'outcome_unknown'))
    const unsent = reasons.filter((reason) => isRefused(reason, 'store_unavailable'))
    expect(unknown.length).toBeGreaterThan(0)
    expect(unsent.length).toBeGreaterThan(0)
    expect(unknown.length + unsent.length).toBe(60)
    server.thaw()
    const later = open(server.connectionString)
    await later.append(creation('entity-b'))
  })
})
