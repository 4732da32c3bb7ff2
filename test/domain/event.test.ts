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

  test('expects an existing stream and says that the event was recorded', () => {
    when(command).then('existing', [recorded])
  })

  test('writes to the stream of its entity', () => {
    expect(recordEvent(command).stream).toBe('entity-ada')
  })
})

describe('two events', () => {
  const { data } = recorded
  test('are the same whatever their ids and times', () => {
    const later = { ...data, recordedAt: '2026-11-21T00:00:00.000Z' }
    expect(isSameEvent(recorded, { ...recorded, id: 'other', data: later })).toBe(true)
  })

  test.each([
    ['entity', { ...data, entityExternalId: 'eve' }],
    ['name', { ...data, name: 'logout' }],
    ['properties', { ...data, properties: { plan: 'paid' } }],
  ])('differ by %s', (_what, other) => {
    expect(isSameEvent(recorded, { ...recorded, data: other })).toBe(false)
  })
})
