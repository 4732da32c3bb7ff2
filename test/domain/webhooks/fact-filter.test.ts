import { describe, expect, it } from '@jest/globals'
import { matchesFilter, typesOf } from '../../../src/domain/webhooks/fact-filter.js'

const entered = { type: 'EntityEnteredSegment', segment: 'vip', entityId: 'ada' }
const event = { type: 'EventRecorded', event: 'login', entityId: 'ada' }

describe('a filter of a webhook', () => {
  it.each([
    [{}, entered, true],
    [{ types: ['EntityEnteredSegment' as const] }, entered, true],
    [{ types: ['EntityEnteredSegment' as const] }, event, false],
    [{ segments: ['vip'] }, entered, true],
    [{ segments: ['new'] }, entered, false],
    [{ segments: ['vip'] }, event, false],
    [{ events: ['login'] }, event, true],
    [{ events: ['purchase'] }, event, false],
    [{ events: ['login'] }, entered, false],
    [{ entityId: 'ada' }, event, true],
    [{ entityId: 'eve' }, event, false],
    [{ events: ['login'], entityId: 'eve' }, event, false],
  ])('%j matches %j: %s', (filter, fact, isMatch) => {
    expect(matchesFilter(filter, fact)).toBe(isMatch)
  })

  it('never leaves out an erasure', () => {
    const erased = { type: 'EntityErased', entityId: 'ada' }
    const filter = { types: ['SegmentBuilt' as const], segments: ['vip'], entityId: 'eve' }
    expect(matchesFilter(filter, erased)).toBe(true)
  })

  it('with names of events can match events and their voids alone', () => {
    expect(typesOf({ events: ['login'] })).toEqual(['EventRecorded', 'EventVoided'])
    expect(typesOf({ events: ['login'], types: ['EventVoided'] })).toEqual(['EventVoided'])
    expect(typesOf({ events: ['login'], types: ['EntityCreated'] })).toEqual([])
    expect(typesOf({ types: ['EntityCreated'] })).toEqual(['EntityCreated'])
    expect(typesOf({})).toBeUndefined()
  })
})
