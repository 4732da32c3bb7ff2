import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import {
  ANY,
  EventStoreDBClient,
  jsonEvent,
  NO_STREAM,
  STREAM_EXISTS,
  type AppendToStreamOptions,
} from '@eventstore/db-client'
import shared from '@eventstore/db-client/generated/shared_pb.js'
import { StreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb.js'
import type { BatchAppendResp } from '@eventstore/db-client/generated/streams_pb.js'
import streams from '@eventstore/db-client/generated/streams_pb.js'
import { credentials } from '@grpc/grpc-js'
import empty from 'google-protobuf/google/protobuf/empty_pb.js'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { EventStoreDouble } from '../support/eventstoredb/event-store-double.js'
import type { ServerRefusal } from '../support/eventstoredb/faults.js'

let double: EventStoreDouble
let client: EventStoreDBClient
beforeEach(async () => {
  double = await EventStoreDouble.start()
  client = EventStoreDBClient.connectionString(double.connectionString)
})
afterEach(async () => {
  await client.dispose()
  await double.close()
})

const unary = { credentials: { username: 'any', password: 'any' } }
const event = (id: string = crypto.randomUUID()) =>
  jsonEvent({ id, type: 'tested', data: { some: 'data' } })
const append = (options: AppendToStreamOptions = {}, one = event(), stream = 'a-stream') =>
  client.appendToStream(stream, one, { ...unary, ...options })
const stored = (stream = 'a-stream') => double.records(stream).length

describe('a restart', () => {
  test('keeps the facts and forgets the ids', async () => {
    const one = event()
    const two = event()
    const first = await append({ expectedRevision: NO_STREAM }, one)
    const second = await append({ expectedRevision: STREAM_EXISTS }, two)
    expect(await append({ expectedRevision: STREAM_EXISTS }, two)).toEqual(second)
    await double.restart()
    await append({}, event(), 'other').catch(() => undefined)
    expect(await append({ expectedRevision: NO_STREAM }, one)).toEqual(first)
    expect(await append({ expectedRevision: 0n }, two)).toEqual(second)
    expect(stored()).toBe(2)
    expect(await append({ expectedRevision: STREAM_EXISTS }, two)).toMatchObject({
      nextExpectedRevision: 2n,
    })
    expect(await append({ expectedRevision: ANY }, one)).toMatchObject({ nextExpectedRevision: 3n })
  })

  test('makes ANY undelete what it recognised before', async () => {
    const one = event()
    await append({}, one)
    await client.deleteStream('a-stream')
    expect(await append({}, one)).toMatchObject({ position: undefined })
    await double.restart()
    await append({}, event(), 'other').catch(() => undefined)
    expect(await append({ expectedRevision: NO_STREAM }, one)).toMatchObject({
      position: undefined,
    })
    expect(await append({}, one)).toMatchObject({ nextExpectedRevision: 1n })
  })

  test('ends what an append had under way', async () => {
    const gate = double.faults.hold('beforeWrite')
    const failed = expect(append()).rejects.toMatchObject({ type: 'unavailable' })
    await gate.reached
    await double.restart()
    gate.release()
    await failed
    expect(stored()).toBe(0)
  })
})

describe('a stall', () => {
  const deadline = 150

  test('before reading: what its caller gave up is never written', async () => {
    const gate = double.faults.hold('beforeRead')
    await expect(append({ deadline })).rejects.toMatchObject({ type: 'deadline-exceeded', code: 4 })
    gate.release()
    await append({}, event(), 'other')
    expect(stored()).toBe(0)
  })

  test('before the write: it is written although its caller gave up', async () => {
    const gate = double.faults.hold('beforeWrite')
    await expect(append({ deadline })).rejects.toMatchObject({ type: 'deadline-exceeded' })
    expect(stored()).toBe(0)
    gate.release()
    await append({}, event(), 'other')
    expect(stored()).toBe(1)
  })

  test('after the write: the repeat gets the receipt', async () => {
    const one = event()
    const gate = double.faults.hold('afterWrite', { stream: 'a-stream' })
    const late = append({ expectedRevision: NO_STREAM }, one)
    await gate.reached
    expect(stored()).toBe(1)
    const repeat = await append({ expectedRevision: NO_STREAM }, one)
    gate.release()
    expect(await late).toEqual(repeat)
  })

  test('of a batch append answers in its time', async () => {
    const gate = double.faults.hold('afterWrite')
    const late = client.appendToStream('a-stream', event())
    await gate.reached
    await client.appendToStream('a-stream', event())
    gate.release()
    expect(await late).toMatchObject({ nextExpectedRevision: 0n })
  })
})

describe('connections', () => {
  test('drop before and after the write', async () => {
    double.faults.drop('beforeWrite')
    await expect(append()).rejects.toMatchObject({ type: 'unavailable', code: 14 })
    expect(stored()).toBe(0)
    double.faults.drop('afterWrite')
    await expect(append()).rejects.toMatchObject({ type: 'unavailable', code: 14 })
    expect(stored()).toBe(1)
    expect(await append()).toMatchObject({ nextExpectedRevision: 1n })
  })

  test('are refused and taken again', async () => {
    await append()
    await double.refuseConnections()
    await expect(append()).rejects.toMatchObject({ type: 'unavailable' })
    await expect(append()).rejects.toThrow(/ECONNREFUSED/)
    await double.listen()
    expect(await append()).toMatchObject({ nextExpectedRevision: 1n })
  })
})

describe('a refusal', () => {
  const refusals: [ServerRefusal, object, string | undefined][] = [
    ['server-not-ready', { type: 'unavailable', code: 14 }, 'unknown'],
    ['server-too-busy', { type: 'unavailable', code: 14 }, 'unknown'],
    ['not-leader', { type: 'not-leader', code: 5 }, 'not-leader'],
    ['no-leader-info', { type: 'unknown', code: 2 }, 'unknown'],
    ['access-denied', { type: 'access-denied', code: 7 }, 'access-denied'],
    ['unauthenticated', { type: 'access-denied', code: 16 }, 'access-denied'],
    ['unknown-error', { type: 'unknown', code: 2 }, 'unknown'],
    ['commit-timeout', { type: 'timeout', code: 10 }, 'deadline-exceeded'],
    ['request-canceled', { type: 'timeout', code: 10 }, 'deadline-exceeded'],
  ]
  test.each(refusals)('%s, unary and batch, for so many calls', async (refusal, error, type) => {
    double.faults.refuse(refusal, { times: 2 })
    await expect(append()).rejects.toMatchObject(error)
    await expect(client.appendToStream('a-stream', event())).rejects.toMatchObject({ type })
    expect(stored()).toBe(0)
    expect(await append()).toMatchObject({ success: true })
  })

  test('after the write leaves it written', async () => {
    double.faults.refuse('commit-timeout', {}, 'afterWrite')
    await expect(append()).rejects.toThrow('Operation timed out: Commit phase timeout.')
    expect(stored()).toBe(1)
  })

  test('of a read', async () => {
    await append()
    double.faults.refuse('server-not-ready', { rpc: 'read' })
    const read = async () => {
      for await (const one of client.readStream('a-stream')) return one
      return undefined
    }
    await expect(read()).rejects.toMatchObject({ type: 'unavailable' })
  })

  test('success without a position', async () => {
    double.faults.hidePosition()
    expect(await append()).toMatchObject({ success: true, position: undefined })
  })
})

describe('held commits', () => {
  test('a repeat that races its original is dropped, and stored once', async () => {
    const one = event()
    const held = double.holdCommits()
    const written = double.disk.written
    const original = append({ expectedRevision: NO_STREAM }, one).catch((error: unknown) => error)
    const racing = append({ expectedRevision: NO_STREAM }, one).catch((error: unknown) => error)
    await append({ expectedRevision: 5n }).catch(() => undefined)
    expect(double.disk.written).toBe(written + 1)
    expect(stored()).toBe(0)
    held.expire()
    expect(await original).toMatchObject({ type: 'timeout', code: 10 })
    expect(await racing).toMatchObject({ type: 'timeout', code: 10 })
    held.release()
    while (stored() === 0) await new Promise(setImmediate)
    expect(await append({ expectedRevision: NO_STREAM }, one)).toMatchObject({ success: true })
    expect(stored()).toBe(1)
  })

  test.each(['keep', 'lose'] as const)('a restart may %s what they held', async (uncommitted) => {
    const held = double.holdCommits()
    const lost = expect(append()).rejects.toMatchObject({ type: 'timeout' })
    await append({ expectedRevision: 5n }).catch(() => undefined)
    held.expire()
    await lost
    await double.restart({ uncommitted })
    expect(stored()).toBe(uncommitted === 'keep' ? 1 : 0)
  })
})

describe('a cluster', () => {
  test('another leader is named to those who require it, and served for the others', async () => {
    const leader = await EventStoreDouble.start()
    double.reportLeader({ address: '127.0.0.1', port: leader.port })
    await append()
    await expect(append({ requiresLeader: true })).rejects.toMatchObject({
      type: 'not-leader',
      leader: { address: '127.0.0.1', port: leader.port },
    })
    await append({ requiresLeader: true })
    expect([stored(), leader.records('a-stream').length]).toEqual([1, 1])
    await leader.close()
  })

  test('gossip leads a client with several hosts to the leader', async () => {
    const leader = await EventStoreDouble.start({ disk: double.disk })
    double.reportMembers([
      { address: '127.0.0.1', port: double.port, state: 'follower', isAlive: true },
      { address: '127.0.0.1', port: leader.port, state: 'leader', isAlive: true },
    ])
    const hosts = `127.0.0.1:${String(double.port)},127.0.0.1:${String(leader.port)}`
    const several = EventStoreDBClient.connectionString(`esdb://${hosts}?tls=false`)
    leader.faults.hidePosition()
    expect(await several.appendToStream('a-stream', event(), unary)).toMatchObject({
      position: undefined,
    })
    await several.dispose()
    await leader.close()
  })
})

test('subscriptions are dropped on command as the server drops a slow consumer', async () => {
  const subscription = client.subscribeToAll()
  const error = new Promise((resolve) => subscription.on('error', resolve).on('data', () => 0))
  await new Promise<void>((resolve) => subscription.on('caughtUp', resolve))
  double.dropSubscriptions()
  expect(await error).toMatchObject({
    type: 'timeout',
    code: 10,
    message:
      '10 ABORTED: Operation timed out: Consumer too slow to handle event while live. ' +
      'Client resubscription required.',
  })
})

test('a process of its own takes commands', async () => {
  const program = fileURLToPath(new URL('../support/eventstoredb/run-double.js', import.meta.url))
  const child = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const next = async (): Promise<unknown> => {
    const line: unknown = (await lines.next()).value
    return JSON.parse(String(line))
  }
  const tell = (command: object) => child.stdin.write(`${JSON.stringify(command)}\n`)
  const { port } = Object(await next()) as { port: number }
  const other = EventStoreDBClient.connectionString(`esdb://127.0.0.1:${String(port)}?tls=false`)
  tell({ do: 'hold', at: 'afterWrite' })
  expect(await next()).toEqual({ done: 'hold', gate: 1 })
  const late = other.appendToStream('a-stream', event(), unary)
  expect(await next()).toEqual({ reached: 1 })
  tell({ do: 'release', gate: 1 })
  expect(await next()).toEqual({ done: 'release' })
  expect(await late).toMatchObject({ nextExpectedRevision: 0n })
  tell({ do: 'nonsense' })
  tell({ do: 'close' })
  expect(await next()).toEqual({ failed: 'no such command: nonsense' })
  const exited = once(child, 'exit')
  await other.dispose()
  child.stdin.end()
  expect(await exited).toEqual([0, null])
})

test('a batch append with an illegal event is answered twice, as the server does', async () => {
  const raw = new StreamsClient(`127.0.0.1:${String(double.port)}`, credentials.createInsecure())
  const call = raw.batchAppend()
  // The double ends before the call does.
  call.on('error', () => undefined)
  const answers: string[] = []
  const answered = new Promise<void>((resolve) => {
    call.on('data', (response: BatchAppendResp) => {
      if (answers.push(response.getError()?.getMessage() ?? 'success') === 2) resolve()
    })
  })
  call.write(
    new streams.BatchAppendReq()
      .setCorrelationId(new shared.UUID().setString(crypto.randomUUID()))
      .setIsFinal(true)
      .setOptions(
        new streams.BatchAppendReq.Options()
          .setAny(new empty.Empty())
          .setStreamIdentifier(
            new shared.StreamIdentifier().setStreamName(Buffer.from('a-stream')),
          ),
      )
      .setProposedMessagesList([new streams.BatchAppendReq.ProposedMessage()]),
  )
  await answered
  expect(answers).toEqual(['BadRequest', 'Timeout'])
  raw.close()
})
