import { describe, expect, test } from '@jest/globals'
import type { TimedFact } from '../../support/segments/log-facts.js'
import {
  digestOf,
  isRecordedMember,
  isValidMember,
} from '../../support/segments/naive-membership.js'
import {
  recordedChanges,
  recordedUntil,
  sinceOf,
  validChanges,
} from '../../support/segments/naive-timeline.js'
import type { Rule } from '../../support/segments/rule-grammar.js'
import { SmallLog } from '../../support/segments/small-log.js'

/** Of one January. */
const on = (dayAndTime: string) => `2026-01-${dayAndTime}Z`
const at = (dayAndTime: string) => Date.parse(on(dayAndTime))

const lately: Rule = { event: 'buy', within: '2d' }

/** Its changes as `+ 01T12:00:00.000 Type of fact` or `- … time`. */
function changes(log: readonly TimedFact[], key = 's'): readonly string[] {
  return recordedChanges(log, key, 'ada').map(
    ({ isMember, at: when, fact }) =>
      `${isMember ? '+' : '-'} ${new Date(when).toISOString().slice(8, 23)} ${fact?.type ?? 'time'}`,
  )
}

function periods(log: readonly TimedFact[], until: string, key = 's'): readonly string[] {
  return validChanges(log, key, 'ada', at(until)).map(
    ({ isMember, at: when }) =>
      `${isMember ? '+' : '-'} ${new Date(when).toISOString().slice(8, 23)}`,
  )
}

describe('the recorded timeline', () => {
  test('time takes a member out at exactly the end of the window', () => {
    const { log } = new SmallLog()
      .defined(on('01T00:00:00.000'), 's', lately)
      .created(on('01T08:00:00.000'))
      .event('buy', on('02T09:30:00.123'))
      .passed(on('09T00:00:00.000'))
    expect(changes(log)).toEqual(['+ 02T09:30:00.123 EventRecorded', '- 04T09:30:00.123 time'])
    const known = log.slice(0, 3)
    expect(isRecordedMember(known, 's', 'ada', at('04T09:30:00.122'))).toBe(true)
    expect(isRecordedMember(known, 's', 'ada', at('04T09:30:00.123'))).toBe(false)
    expect(recordedUntil(known, 's', 'ada', at('02T09:30:00.123'))).toBe(at('04T09:30:00.123'))
    expect(recordedUntil(known, 's', 'ada', at('04T09:30:00.123'))).toBeUndefined()
  })

  test('a timer that is due when a fact comes goes off before it', () => {
    const { log } = new SmallLog()
      .defined(on('01T00:00:00.000'), 's', lately)
      .created(on('01T08:00:00.000'))
      .event('buy', on('02T00:00:00.000'))
      .event('buy', on('04T00:00:00.000'))
    expect(changes(log)).toEqual([
      '+ 02T00:00:00.000 EventRecorded',
      '- 04T00:00:00.000 time',
      '+ 04T00:00:00.000 EventRecorded',
    ])
    expect(sinceOf(recordedChanges(log, 's', 'ada'))).toBe(at('04T00:00:00.000'))
  })

  test('a late event enters when it arrives, or never where it is too late', () => {
    const base = () =>
      new SmallLog().defined(on('01T00:00:00.000'), 's', lately).created(on('01T08:00:00.000'))
    const late = base().event('buy', on('05T00:00:00.000'), on('03T00:00:00.001'))
    expect(changes(late.passed(on('06T00:00:00.000')).log)).toEqual([
      '+ 05T00:00:00.000 EventRecorded',
      '- 05T00:00:00.001 time',
    ])
    expect(changes(base().event('buy', on('05T00:00:00.000'), on('03T00:00:00.000')).log)).toEqual(
      [],
    )
  })

  test('log time is the highest instant so far, and facts of members do not move it', () => {
    const { log } = new SmallLog()
      .defined(on('01T00:00:00.000'), 's', lately)
      .created(on('01T08:00:00.000'))
      .passed(on('05T00:00:00.000'))
      .event('buy', on('04T23:00:00.000'))
      .built(on('20T00:00:00.000'), 's')
    expect(log.map(({ logTime }) => logTime)).toEqual(
      ['01T00', '01T08', '05T00', '05T00', '05T00'].map((hour) => at(`${hour}:00:00.000`)),
    )
    expect(changes(log)).toEqual(['+ 05T00:00:00.000 EventRecorded'])
  })

  test('facts of another entity let time pass and change nothing else', () => {
    const { log } = new SmallLog()
      .defined(on('01T00:00:00.000'), 's', lately)
      .created(on('01T08:00:00.000'))
      .event('buy', on('02T00:00:00.000'))
      .created(on('04T00:00:00.000'), {}, 'bob')
    expect(changes(log)).toEqual(['+ 02T00:00:00.000 EventRecorded', '- 04T00:00:00.000 time'])
    expect(isRecordedMember(log, 's', 'bob')).toBe(false)
  })

  test('an absence begins with the creation: nobody is in a segment before', () => {
    const { log } = new SmallLog()
      .defined(on('01T00:00:00.000'), 's', { not: lately })
      .created(on('01T08:00:00.000'))
      .event('buy', on('02T00:00:00.000'))
      .passed(on('09T00:00:00.000'))
    expect(isRecordedMember(log.slice(0, 1), 's', 'ada')).toBe(false)
    expect(changes(log)).toEqual([
      '+ 01T08:00:00.000 EntityCreated',
      '- 02T00:00:00.000 EventRecorded',
      '+ 04T00:00:00.000 time',
    ])
  })

  test('a test that must have held counts from log time at its fact', () => {
    const { log } = new SmallLog()
      .defined(on('01T00:00:00.000'), 's', { property: '/plan', is: { eq: 'paid' }, for: '1d' })
      .passed(on('01T10:00:00.000'))
      .created(on('01T08:00:00.000'), { plan: 'paid' })
      .changed(on('02T09:00:00.000'), { plan: 'paid', n: 1 })
      .changed(on('03T09:00:00.000'), { plan: 'free' })
      .changed(on('03T09:00:00.000'), { plan: 'paid' })
      .changed(on('04T09:00:00.000'), {}, ['plan'])
    expect(changes(log)).toEqual([
      '+ 02T10:00:00.000 time',
      '- 03T09:00:00.000 EntityPropertiesChanged',
      '+ 04T09:00:00.000 time',
      '- 04T09:00:00.000 EntityPropertiesChanged',
    ])
  })

  test('strict comparisons change a millisecond after the instant, or at it', () => {
    const rule = (is: Extract<Rule, { created: unknown }>['created']) =>
      changes(
        new SmallLog()
          .defined(on('01T00:00:00.000'), 's', { property: '/when', is })
          .created(on('01T08:00:00.000'), { when: '2026-01-05' })
          .passed(on('20T00:00:00.000')).log,
      )
    expect(rule({ before: { ago: '1d' } })).toEqual(['+ 06T00:00:00.001 time'])
    expect(rule({ after: { ago: '1d' } })).toEqual([
      '+ 01T08:00:00.000 EntityCreated',
      '- 06T00:00:00.000 time',
    ])
    expect(rule({ before: { ahead: '1d' } })).toEqual(['+ 04T00:00:00.001 time'])
    expect(rule({ after: { ahead: '1d' } })).toEqual([
      '+ 01T08:00:00.000 EntityCreated',
      '- 04T00:00:00.000 time',
    ])
  })

  test('a count of exactly one is entered and left by the same clock', () => {
    const { log } = new SmallLog()
      .defined(on('01T00:00:00.000'), 's', { ...lately, count: { eq: 1 } })
      .created(on('01T08:00:00.000'))
      .event('buy', on('02T00:00:00.000'))
      .event('buy', on('03T00:00:00.000'))
      .passed(on('09T00:00:00.000'))
    expect(changes(log)).toEqual([
      '+ 02T00:00:00.000 EventRecorded',
      '- 03T00:00:00.000 EventRecorded',
      '+ 04T00:00:00.000 time',
      '- 05T00:00:00.000 time',
    ])
  })
})

describe('definitions', () => {
  test('before the first there are no members, then those for whom it holds at log time', () => {
    const { log } = new SmallLog()
      .created(on('01T08:00:00.000'))
      .event('buy', on('02T00:00:00.000'))
      .defined(on('03T00:00:00.000'), 's', lately)
    expect(isRecordedMember(log.slice(0, 2), 's', 'ada')).toBe(false)
    expect(changes(log)).toEqual(['+ 03T00:00:00.000 SegmentDefined'])
  })

  test('since outlives a new version where both hold', () => {
    const { log } = new SmallLog()
      .defined(on('01T00:00:00.000'), 's', lately)
      .created(on('01T08:00:00.000'))
      .event('buy', on('02T00:00:00.000'))
      .defined(on('03T00:00:00.000'), 's', { event: 'buy', within: '7d' })
      .passed(on('05T00:00:00.000'))
      .defined(on('06T00:00:00.000'), 's', lately)
      .defined(on('07T00:00:00.000'), 's', { everyone: true })
    expect(changes(log)).toEqual([
      '+ 02T00:00:00.000 EventRecorded',
      '- 06T00:00:00.000 SegmentDefined',
      '+ 07T00:00:00.000 SegmentDefined',
    ])
  })

  test('those that name a segment change with it', () => {
    const { log } = new SmallLog()
      .defined(on('01T00:00:00.000'), 'base', lately)
      .defined(on('01T00:00:00.000'), 's', { not: { segment: 'base' } })
      .created(on('01T08:00:00.000'))
      .event('buy', on('02T00:00:00.000'))
      .defined(on('03T00:00:00.000'), 'base', { not: { everyone: true } })
      .defined(on('04T00:00:00.000'), 'base', lately)
    expect(changes(log)).toEqual([
      '+ 01T08:00:00.000 EntityCreated',
      '- 02T00:00:00.000 EventRecorded',
      '+ 03T00:00:00.000 SegmentDefined',
    ])
    expect(changes(log, 'base')).toEqual([
      '+ 02T00:00:00.000 EventRecorded',
      '- 03T00:00:00.000 SegmentDefined',
    ])
  })

  test('a retired segment has no members and begins anew', () => {
    const { log } = new SmallLog()
      .defined(on('01T00:00:00.000'), 's', lately)
      .created(on('01T08:00:00.000'))
      .event('buy', on('02T00:00:00.000'))
      .retired(on('03T00:00:00.000'), 's')
      .defined(on('03T01:00:00.000'), 's', lately)
    expect(changes(log)).toEqual([
      '+ 02T00:00:00.000 EventRecorded',
      '- 03T00:00:00.000 SegmentRetired',
      '+ 03T01:00:00.000 SegmentDefined',
    ])
  })
})

describe('by hand', () => {
  test('what was said counts while the segment lives', () => {
    const { log } = new SmallLog()
      .created(on('01T00:00:00.000'))
      .put(on('02T00:00:00.000'), 's')
      .defined(on('03T00:00:00.000'), 's')
      .put(on('04T00:00:00.000'), 's')
      .put(on('05T00:00:00.000'), 's')
      .defined(on('06T00:00:00.000'), 's')
      .taken(on('07T00:00:00.000'), 'other')
      .retired(on('08T00:00:00.000'), 's')
      .put(on('09T00:00:00.000'), 's')
      .defined(on('10T00:00:00.000'), 's')
      .put(on('11T00:00:00.000'), 's')
      .taken(on('12T00:00:00.000'), 's')
    expect(changes(log)).toEqual([
      '+ 04T00:00:00.000 EntityAddedToSegment',
      '- 08T00:00:00.000 SegmentRetired',
      '+ 11T00:00:00.000 EntityAddedToSegment',
      '- 12T00:00:00.000 EntityRemovedFromSegment',
    ])
  })

  test('counts for nothing in a segment by rule', () => {
    const { log } = new SmallLog()
      .created(on('01T00:00:00.000'))
      .defined(on('02T00:00:00.000'), 's', lately)
      .put(on('03T00:00:00.000'), 's')
      .retired(on('04T00:00:00.000'), 's')
      .defined(on('05T00:00:00.000'), 's')
    expect(changes(log)).toEqual([])
  })
})

describe('the valid timeline', () => {
  const late = new SmallLog()
    .created(on('01T08:00:00.000'), { plan: 'free' })
    .event('buy', on('09T00:00:00.000'), on('03T00:00:00.000'))
    .event('buy', on('09T01:00:00.000'), on('09T02:00:00.000'))
    .changed(on('10T00:00:00.000'), { plan: 'paid' })
    .defined(on('11T00:00:00.000'), 's', lately)
    .defined(on('11T00:00:00.000'), 'paid', { property: '/plan', is: { eq: 'paid' }, for: '1d' })
    .defined(on('11T00:00:00.000'), 'hand')
    .put(on('12T00:00:00.000'), 'hand')
    .defined(on('13T00:00:00.000'), 's', { not: lately }).log

  test("today's definition over what took effect by then, whenever it was recorded", () => {
    const known = late.slice(0, 8)
    expect(isValidMember(known, 's', 'ada', at('02T23:59:59.999'))).toBe(false)
    expect(isValidMember(known, 's', 'ada', at('03T00:00:00.000'))).toBe(true)
    expect(isValidMember(known, 's', 'ada', at('05T00:00:00.000'))).toBe(false)
    expect(periods(known, '20T00:00:00.000')).toEqual([
      '+ 03T00:00:00.000',
      '- 05T00:00:00.000',
      '+ 09T02:00:00.000',
      '- 11T02:00:00.000',
    ])
    expect(periods(known, '04T00:00:00.000')).toEqual(['+ 03T00:00:00.000'])
  })

  test('an absence, from the creation on', () => {
    expect(periods(late, '20T00:00:00.000')).toEqual([
      '+ 01T08:00:00.000',
      '- 03T00:00:00.000',
      '+ 05T00:00:00.000',
      '- 09T02:00:00.000',
      '+ 11T02:00:00.000',
    ])
  })

  test('properties by their change, hands by theirs', () => {
    expect(periods(late, '20T00:00:00.000', 'paid')).toEqual(['+ 11T00:00:00.000'])
    expect(periods(late, '20T00:00:00.000', 'hand')).toEqual(['+ 12T00:00:00.000'])
  })

  test('one window ends where another begins: no break', () => {
    const { log } = new SmallLog()
      .defined(on('01T00:00:00.000'), 's', lately)
      .created(on('01T08:00:00.000'))
      .event('buy', on('02T00:00:00.000'))
      .event('buy', on('04T00:00:00.000'))
    expect(periods(log, '09T00:00:00.000')).toEqual(['+ 02T00:00:00.000', '- 06T00:00:00.000'])
  })
})

describe('the digest, by figures of another SHA-256', () => {
  const id = (n: number) => `01a1ff14-0000-7000-8000-${String(n).padStart(12, '0')}`

  test.each([
    [[], '0000000000000000'],
    [[id(1)], 'acee71275e539793'],
    [[id(2)], '7625463dbea590d8'],
    [[id(3).toUpperCase()], '26e6ac7473478d87'],
    [[id(46)], '005b88ac44e05156'],
    [[id(1), id(2)], '2313b7651cf9286b'],
    [[id(3), id(1), id(2)], '49fa63d99040b5f2'],
  ])('of %j', (ids, expected) => {
    expect(digestOf(ids)).toBe(expected)
  })
})
