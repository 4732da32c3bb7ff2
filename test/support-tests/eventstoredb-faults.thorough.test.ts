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

const event = (id: string = crypto.randomUUID()) =>
  jsonEvent({ id, type: 'tested', data: { some: 'data' } })
const append = (options: AppendToStreamOptions = {}, one = event(), stream = 'a-stream') =>
  client.appendToStream(stream, one, options)
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
    expect(await original).toMatchObject({ type: 'deadline-exceeded' })
    expect(await racing).toMatchObject({ type: 'deadline-exceeded' })
    held.release()
    while (stored() === 0) await new Promise(setImmediate)
    expect(await append({ expectedRevision: NO_STREAM }, one)).toMatchObject({ success: true })
    expect(stored()).toBe(1)
  })

  test.each(['keep', 'lose'] as const)('a restart may %s what they held', async (uncommitted) => {
    const held = double.holdCommits()
    const lost = expect(append()).rejects.toMatchObject({ type: 'deadline-exceeded' })
    await append({ expectedRevision: 5n }).catch(() => undefined)
    held.expire()
    await lost
    await double.restart({ uncommitted })
    expect(stored()).toBe(uncommitted === 'keep' ? 1 : 0)
  })
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
