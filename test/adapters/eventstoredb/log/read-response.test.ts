import { describe, expect, test } from '@jest/globals'
import shared from '@eventstore/db-client/generated/shared_pb.js'
import type { ReadResp } from '@eventstore/db-client/generated/streams_pb.js'
import streams from '@eventstore/db-client/generated/streams_pb.js'
import {
  positionOf,
  readResponseIn,
  type ReadResponse,
} from '../../../../src/adapters/eventstoredb/log/read-response.js'
import type { StoredRecord } from '../../../support/eventstoredb/record.js'
import {
  caughtUpResponse,
  checkpointResponse,
  confirmationResponse,
  eventResponse,
  notFoundResponse,
} from '../../../support/eventstoredb/read-response.js'

const record: StoredRecord = {
  id: '0193f0a1-2b3c-7d4e-8f50-617283940a1b',
  stream: 'entity-a',
  type: 'EventRecorded',
  revision: 3n,
  position: 1_234_567_890_123n,
  isJson: true,
  data: Buffer.from('{ "name": "login" }'),
  metadata: Buffer.from('{"schemaVersion":2}'),
  created: 17_000_000_000_000_000n,
}

function bytesOf(response: ReadResp): Buffer {
  return Buffer.from(response.serializeBinary())
}

function decoded(response: ReadResp): ReadResponse {
  return readResponseIn(bytesOf(response))
}

function eventOf(changes: Partial<StoredRecord>) {
  const response = decoded(eventResponse({ ...record, ...changes }))
  if (response.kind !== 'event') throw new TypeError('no event')
  return response.event
}

describe('an event in a read of EventStoreDB', () => {
  test('has its stored text', () => {
    expect(eventOf({})).toEqual({
      id: record.id,
      type: 'EventRecorded',
      stream: 'entity-a',
      revision: 3,
      commit: 1_234_567_890_123,
      prepare: 1_234_567_890_123,
      isJson: true,
      data: '{ "name": "login" }',
      metadata: '{"schemaVersion":2}',
    })
  })

  test.each(['entity-ünïcødé', 'entity-日本-🎉', 'entity-\u0000\n"', `entity-${'x'.repeat(300)}`])(
    'has its complete stream name: %j',
    (stream) => {
      expect(eventOf({ stream }).stream).toBe(stream)
    },
  )

  test.each([0n, 127n, 128n, 16_384n, 2n ** 32n, 2n ** 53n - 1n])(
    'has its exact position: %d',
    (position) => {
      const event = eventOf({ position })
      expect(positionOf(event)).toEqual({ commit: position, prepare: position })
    },
  )

  test('says whether it is JSON', () => {
    expect(eventOf({ isJson: false }).isJson).toBe(false)
  })

  test('can have no data and no metadata', () => {
    const empty = { data: Buffer.alloc(0), metadata: Buffer.alloc(0) }
    expect(eventOf(empty)).toMatchObject({ data: '', metadata: '' })
  })

  test('is missing when a link refers to a removed one', () => {
    const gone = new streams.ReadResp.ReadEvent().setNoPosition(new shared.Empty())
    expect(decoded(new streams.ReadResp().setEvent(gone))).toEqual({ kind: 'other' })
  })

  test('without an id is refused', () => {
    expect(() => eventOf({ id: '' })).toThrow('has no id')
  })

  test('is refused when its message is truncated anywhere', () => {
    const whole = bytesOf(eventResponse(record))
    for (let length = 1; length < whole.length; length += 1)
      expect(() => readResponseIn(whole.subarray(0, length))).toThrow('cut short')
  })

  test('is decoded when a later server sends unknown fields', () => {
    const whole = bytesOf(eventResponse(record))
    const unknown = [
      [0xf8, 0x01, 0x96, 0x01],
      [0xf9, 0x01, 1, 2, 3, 4, 5, 6, 7, 8],
      [0xfa, 0x01, 2, 1, 2],
      [0xfd, 0x01, 1, 2, 3, 4],
    ]
    for (const field of unknown) {
      const message = Buffer.concat([Buffer.from(field), whole])
      expect(readResponseIn(message)).toEqual(readResponseIn(whole))
    }
  })
})

test('other messages of a read are recognised', () => {
  expect(decoded(confirmationResponse())).toEqual({ kind: 'confirmation' })
  expect(decoded(caughtUpResponse())).toEqual({ kind: 'caught_up' })
  const position = { commit: 300n, prepare: 300n }
  expect(decoded(checkpointResponse(300n))).toEqual({ kind: 'checkpoint', position })
  expect(decoded(notFoundResponse('entity-a'))).toEqual({ kind: 'stream_missing' })
  const fellBehind = new streams.ReadResp().setFellBehind(new streams.ReadResp.FellBehind())
  expect(decoded(fellBehind)).toEqual({ kind: 'other' })
})
