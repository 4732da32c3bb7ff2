import { describe, expect, it } from '@jest/globals'
import {
  readAnswer,
  writeAnswer,
} from '../../../../../src/adapters/sqlite/read-model/thread/answer-texts.js'
import { JsonText } from '../../../../../src/domain/json.js'

const json = new JsonText('{"a":["\\u001f","\\n",1.0],"ü":{}}')
const listed = {
  externalId: '顧客 7 "x"',
  entityId: 'an id',
  properties: json,
  createdAt: '2026-11-20T09:30:00.000Z',
  recordedAt: '2026-11-20T09:30:00.500Z',
  updatedAt: '2026-11-20T09:30:01.000Z',
}
const event = {
  id: 'a fact',
  name: 'a\\b"c',
  properties: json,
  recordedAt: '2026-11-20T09:30:00.000Z',
  occurredAt: '2026-11-19T09:30:00.000Z',
  voidedAt: undefined,
  voidReason: undefined,
}

describe('the text of an answer', () => {
  it.each([
    { eventCount: 0, lastEventAt: undefined, segments: [], segmentsBuilding: [] },
    {
      eventCount: 12,
      lastEventAt: '2026-11-20T09:30:02.000Z',
      segments: [{ key: 'vip', since: '2026-11-20T09:30:02.000Z' }],
      segmentsBuilding: ['new'],
    },
  ])('restores a profile with $eventCount events', (counted) => {
    const profile = { ...listed, ...counted }
    expect(readAnswer('profile', writeAnswer('profile', profile))).toStrictEqual(profile)
  })

  it('restores a listed entity', () => {
    const entity = { ...listed, lastEventAt: '2026-11-20T09:30:02.000Z' }
    expect(readAnswer('entityById', writeAnswer('entityById', entity))).toStrictEqual(entity)
  })

  it.each([0, 1, 3])('restores %i items and the cursor of the next page', (count) => {
    const part = { items: Array.from({ length: count }, () => event), next: { at: 5, position: 7 } }
    expect(readAnswer('timeline', writeAnswer('timeline', part))).toStrictEqual(part)
    const last = { items: [{ ...listed, lastEventAt: undefined }], next: undefined }
    expect(readAnswer('entities', writeAnswer('entities', last))).toStrictEqual(last)
  })

  it('restores property changes with the names of removed properties', () => {
    const { recordedAt: changedAt, occurredAt } = event
    const items = [[], ['a', 'b\u001f,"c']].map((unset) => {
      return { factId: 'a fact', changedAt, occurredAt, set: json, unset, requestId: 'a-request' }
    })
    const part = { items, next: { at: 5, position: 3 } }
    expect(readAnswer('history', writeAnswer('history', part))).toStrictEqual(part)
  })

  it('restores facts with their positions, and the position that was reached', () => {
    const fact = {
      position: 12,
      id: 'a fact',
      type: 'EntityCreated',
      stream: 'entity-顧客 7',
      data: json,
      requestId: 'a-request',
    }
    for (const facts of [[], [fact, { ...fact, position: 13 }]]) {
      const page = { facts, reached: { position: 14, id: 'other' }, atHead: true }
      expect(readAnswer('facts', writeAnswer('facts', page))).toStrictEqual(page)
    }
  })

  it('is JSON if the answer contains no `JsonText`', () => {
    const found = { position: 7, id: 'an id' }
    const text = writeAnswer('factAt', found)
    expect(text).toBe(JSON.stringify(found))
    expect(readAnswer('factAt', text)).toStrictEqual(found)
  })

  it('restores members with and without properties', () => {
    const ada = { externalId: 'ada', entityId: 'an id', since: event.recordedAt }
    for (const items of [[], [ada], [{ ...ada, properties: json }, ada]]) {
      const members = { version: 1, members: 2, digest: 'a digest', items, next: 7 }
      const text = writeAnswer('segmentMembers', members)
      expect(readAnswer('segmentMembers', text)).toStrictEqual(members)
    }
  })

  it('is refused if a field is missing', () => {
    expect(() => readAnswer('entityById', 'an id alone')).toThrow(TypeError)
  })
})
