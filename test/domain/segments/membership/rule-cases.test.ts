import { describe, expect, test } from '@jest/globals'
import type { Json, JsonObject } from '../../../../src/domain/json.js'
import { engineSince, replay, timelineOf } from '../../../support/segments/engine-replay.js'
import type { Count, Rel, Rule } from '../../../support/segments/rule-grammar.js'
import { SmallLog } from '../../../support/segments/small-log.js'

// Cases that random histories seldom contain: the millisecond at a boundary. The expected results are written
// by hand.
const noon = Date.UTC(2026, 0, 10, 12)
const [minute, hour, day] = [60_000, 3_600_000, 86_400_000]
const ago = (ms: number) => new Date(noon - ms).toISOString()

type Buy = readonly [ago: number, properties?: JsonObject]

/** Returns whether `ada` is in a segment of this rule at noon, after these facts and the creation. */
function isIn(rule: Rule, small: (log: SmallLog) => SmallLog, createdAgo = 300 * day): boolean {
  const begun = new SmallLog().defined(ago(400 * day), 's', rule).created(ago(createdAgo))
  const { log } = small(begun).passed(ago(0))
  const timeline = timelineOf(log)
  let isMember = false
  replay(log, timeline, 'ada', (engine, index) => {
    isMember = engineSince(engine, timeline, log[index]?.position ?? 0, 's') !== undefined
  })
  return isMember
}

/** Returns the result of the rule after these purchases, which are recorded in this order. */
const bought = (rule: Rule, ...buys: readonly Buy[]) =>
  isIn(rule, (log) => buys.reduce((to, [ms, own]) => to.event('buy', ago(1), ago(ms), own), log))

test.each<[Rel, Json, boolean]>([
  [{ before: '2026-01-10T12:00:00Z' }, '2026-01-10T11:59:59.999Z', true],
  [{ before: '2026-01-10T12:00:00Z' }, '2026-01-10T13:00:00+01:00', false],
  [{ after: '2026-01-10T12:00:00Z' }, '2026-01-10T13:00:00+01:00', false],
  [{ after: '2026-01-10T12:00:00Z' }, '2026-01-10T12:00:00.001Z', true],
  [{ after: '2026-01-10T12:00:00Z' }, '2026-01-10T12:00:00.0009Z', false],
  [{ before: '2026-01-10' }, '2026-01-10T00:00:00Z', false],
  [{ before: '2026-01-10' }, '2026-01-09T23:59:59.999Z', true],
  [{ before: '2026-01-10T00:00:00.001Z' }, '2026-01-10', true],
  [{ before: { ago: '1d' } }, '2026-01-09T12:00:00Z', false],
  [{ before: { ago: '1d' } }, '2026-01-09T11:59:59.999Z', true],
  [{ after: { ago: '1d' } }, '2026-01-09T12:00:00Z', false],
  [{ after: { ago: '1d' } }, '2026-01-09T12:00:00.001Z', true],
  [{ before: { ahead: '2h' } }, '2026-01-10T14:00:00Z', false],
  [{ before: { ahead: '2h' } }, '2026-01-10T13:59:59.999Z', true],
  [{ after: { ahead: '2h' } }, '2026-01-10T14:00:00Z', false],
  [{ after: { ahead: '2h' } }, '2026-01-10T14:00:00.001Z', true],
  [{ before: { ahead: '9999w' } }, '2026-02-30', false],
  [{ before: { ahead: '9999w' } }, 0, false],
])('an instant is compared strictly and in milliseconds: %j of %j is %j', (is, when, expected) => {
  const rule = { property: '/when', is }
  expect(isIn(rule, (log) => log.changed(ago(1), { when }))).toBe(expected)
})

test('the time of creation is compared strictly', () => {
  const created = (is: Rel, createdAgo: number) => isIn({ created: is }, (log) => log, createdAgo)
  expect(created({ before: { ago: '1d' } }, day)).toBe(false)
  expect(created({ before: { ago: '1d' } }, day + 1)).toBe(true)
  expect(created({ after: '2026-01-09T12:00:00Z' }, day)).toBe(false)
})

test.each<[readonly (readonly [ago: number, plan: string])[], boolean]>([
  [[[2 * hour, 'paid']], true],
  [[[2 * hour - 1, 'paid']], false],
  [
    [
      [2 * hour, 'paid'],
      [1, 'paid'],
    ],
    true,
  ],
  [
    [
      [day, 'paid'],
      [2 * hour - 1, 'free'],
      [2 * hour - 1, 'paid'],
    ],
    false,
  ],
  [
    [
      [day, 'paid'],
      [3 * hour, 'free'],
      [2 * hour, 'paid'],
    ],
    true,
  ],
  [
    [
      [day, 'paid'],
      [1, 'free'],
    ],
    false,
  ],
])(
  'a condition with `for` of two hours holds exactly two hours after its uninterrupted start: %j',
  (plans, expected) => {
    const rule = { property: '/plan', is: { eq: 'paid' }, for: '2h' }
    const held = isIn(rule, (log) =>
      plans.reduce((to, [ms, plan]) => to.changed(ago(ms), { plan }), log),
    )
    expect(held).toBe(expected)
  },
)

describe('a window', () => {
  test.each([
    ['1h', hour, false],
    ['1h', hour - 1, true],
    ['59m', 59 * minute, false],
    ['59m', 59 * minute - 1, true],
    ['3d', 3 * day, false],
    ['3d', 3 * day - 1, true],
    ['2w', 14 * day, false],
    ['2w', 14 * day - 1, true],
    ['1m', -minute, true],
  ])('of %s contains an event %d ms ago: %j', (within, ms, expected) => {
    expect(bought({ event: 'buy', within }, [ms])).toBe(expected)
  })

  test.each([
    [hour, true],
    [hour + 1, false],
    [1, true],
    [0, false],
  ])(
    'between fixed instants includes its start and excludes its end: %d ms ago',
    (ms, expected) => {
      const between = { after: '2026-01-10T11:00:00Z', before: '2026-01-10T12:00:00Z' }
      expect(bought({ event: 'buy', ...between }, [ms])).toBe(expected)
    },
  )
})

test.each<[Count | undefined, readonly boolean[]]>([
  [{ gte: 0 }, [true, true, true, true]],
  [{ gte: 2 }, [false, false, true, true]],
  [{ lte: 0 }, [true, false, false, false]],
  [{ lte: 1 }, [true, true, false, false]],
  [{ eq: 0 }, [true, false, false, false]],
  [{ eq: 2 }, [false, false, true, false]],
  [undefined, [false, true, true, true]],
])(
  'a count of %j is evaluated correctly for 0, 1, 2 and 3 events in a window',
  (count, expected) => {
    const rule: Rule = { event: 'buy', within: '1h', ...(count === undefined ? {} : { count }) }
    const found = [0, 1, 2, 3].map((many) => bought(rule, [hour], ...Array<Buy>(many).fill([1])))
    expect(found).toEqual(expected)
  },
)

test('only an event that passes every clause counts', () => {
  const rule: Rule = { event: 'buy', where: { '/n': { gte: 2 }, '/to/0': { eq: 'x' } } }
  expect(bought(rule, [1, { n: 2, to: ['x'] }])).toBe(true)
  expect(bought(rule, [1, { n: 2 }], [1, { n: 1, to: ['x'] }], [1])).toBe(false)
})

test.each<[string, readonly Buy[], boolean]>([
  [
    'the event with the latest time of occurrence',
    [
      [1, { n: 1 }],
      [2, { n: 2 }],
    ],
    true,
  ],
  [
    'not the event with the latest time of recording',
    [
      [2, { n: 1 }],
      [1, { n: 2 }],
    ],
    false,
  ],
  [
    'the event that was recorded later, if two have one instant',
    [
      [1, { n: 2 }],
      [1, { n: 1 }],
    ],
    true,
  ],
  [
    'never an event before it',
    [
      [1, { n: 1 }],
      [1, { n: 2 }],
    ],
    false,
  ],
  ['required to exist', [], false],
])('the last event is %s', (_what, buys, expected) => {
  expect(bought({ event: 'buy', last: { '/n': { eq: 1 } } }, ...buys)).toBe(expected)
})
