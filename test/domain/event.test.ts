import { describe, expect, test } from '@jest/globals'
import { isSameEvent, recordEvent, type EventRecorded } from '../../src/domain/event.js'
import { deciding } from '../support/decision-sentence.js'

const now = new Date('2026-11-20T09:30:00.007Z')
const recorded: EventRecorded = {
  id: 'fact-2',
  type: 'EventRecorded',
  data: {
    entityExternalId: 'ada',
    name: 'login',
    properties: { plan: 'free' },
    recordedAt: '2026-11-20T09:30:00.007Z',
  },
}

describe('recording an event', () => {
  const when = deciding(recordEvent)
  const command = {
    factId: 'fact-2',
    entityExternalId: 'ada',
    name: 'login',
    properties: { plan: 'free' },
    now,
  }

  test('expects an existing stream and decides EventRecorded', () => {
    when(command).then('existing', [recorded])
  })

  test("stores the caller's time of occurrence in UTC with milliseconds", () => {
    const occurredAt = new Date('2026-11-19T19:05:00+01:00')
    const data = { ...recorded.data, occurredAt: '2026-11-19T18:05:00.000Z' }
    when({ ...command, occurredAt }).then('existing', [{ ...recorded, data }])
  })

  test('stores no time of occurrence when the caller gave none', () => {
    const [{ data }] = recordEvent({ ...command, occurredAt: undefined }).facts
    expect(Object.keys(data)).toEqual(['entityExternalId', 'name', 'properties', 'recordedAt'])
  })

  test('appends to the stream of the entity', () => {
    expect(recordEvent(command).stream).toBe('entity-ada')
  })
})

describe('two events', () => {
  const { data } = recorded
  test('are equal only if they occurred at the same instant', () => {
    const at = (occurredAt: string) => ({ ...recorded, data: { ...data, occurredAt } })
    const [one, other] = [at('2026-11-19T18:05:00.000Z'), at('2026-11-19T18:05:00.001Z')]
    expect([isSameEvent(one, { ...one }), isSameEvent(one, other)]).toEqual([true, false])
    expect(isSameEvent(one, recorded)).toBe(false)
  })

  test('are equal even if their ids and times of recording differ', () => {
    const later = { ...data, recordedAt: '2026-11-21T00:00:00.000Z' }
    expect(isSameEvent(recorded, { ...recorded, id: 'other', data: later })).toBe(true)
  })

  test.each([
    ['entity', { ...data, entityExternalId: 'eve' }],
    ['name', { ...data, name: 'logout' }],
    ['properties', { ...data, properties: { plan: 'paid' } }],
    ['the time of occurrence', { ...data, occurredAt: data.recordedAt }],
  ])('differ by %s', (_what, other) => {
    expect(isSameEvent(recorded, { ...recorded, data: other })).toBe(false)
  })
})
