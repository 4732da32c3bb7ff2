import { describe, expect, test } from '@jest/globals'
import type { Json, JsonObject } from '../../../src/domain/json.js'
import { bucketOf, holds } from '../../support/segments/naive-rule.js'
import { valueAt } from '../../support/segments/naive-values.js'
import type { EntityView } from '../../support/segments/naive-view.js'
import type { Flat, Rule } from '../../support/segments/rule-grammar.js'

const noon = Date.UTC(2026, 0, 10, 12)
const [minute, hour, day] = [60_000, 3_600_000, 86_400_000]

interface Given {
  readonly properties?: JsonObject
  /** How long before noon each occurred; in the order of recording. */
  readonly buys?: readonly (readonly [ago: number, properties?: JsonObject])[]
  readonly createdAgo?: number
  readonly externalId?: string
}

function entity({ properties = {}, buys = [], createdAgo = day, externalId = 'ada' }: Given = {}) {
  const createdAt = noon - createdAgo
  const view: EntityView = {
    externalId,
    createdAt,
    events: buys.map(([ago, own = {}]) => ({
      name: 'buy',
      properties: own,
      occurredAt: noon - ago,
    })),
    states: [{ from: createdAt, properties }],
    byHand: [],
  }
  return view
}

const isTrue = (rule: Rule, given?: Given, T = noon) => holds(rule, entity(given), T, () => false)

describe('a test of a property', () => {
  test.each<[Flat, Json | undefined, boolean]>([
    [{ eq: 3 }, 3, true],
    [{ eq: 3 }, '3', false],
    [{ eq: '3' }, 3, false],
    [{ eq: 0 }, -0, true],
    [{ eq: 0 }, false, false],
    [{ eq: '' }, null, false],
    [{ eq: null }, null, true],
    [{ eq: null }, undefined, false],
    [{ eq: true }, true, true],
    [{ eq: true }, 'true', false],
    [{ eq: 'free' }, ['free'], false],
    [{ in: [1, 'a', null] }, 'a', true],
    [{ in: [1, 'a', null] }, null, true],
    [{ in: [1, 'a', null] }, '1', false],
    [{ in: [1, 'a', null] }, undefined, false],
    [{ gt: 3 }, 3, false],
    [{ gt: 3 }, 3.01, true],
    [{ gt: 3 }, '4', false],
    [{ gt: 3 }, null, false],
    [{ gt: -1 }, null, false],
    [{ gte: 3 }, 3, true],
    [{ gte: 3 }, 2.99, false],
    [{ lt: 3 }, 3, false],
    [{ lt: 3 }, 2.99, true],
    [{ lt: 3 }, undefined, false],
    [{ lt: 3 }, [], false],
    [{ lte: 3 }, 3, true],
    [{ lte: 3 }, 3.01, false],
    [{ gt: 1, lt: 3 }, 2, true],
    [{ gt: 1, lt: 3 }, 3, false],
    [{ gt: 1, eq: 5 }, 5, true],
    [{ gt: 1, eq: 5 }, 4, false],
    [{ starts_with: 'pa' }, 'paid', true],
    [{ starts_with: 'pa' }, 'Paid', false],
    [{ starts_with: 'pa' }, 'unpaid', false],
    [{ starts_with: '3' }, 3, false],
    [{ starts_with: 'pa' }, ['paid'], false],
    [{ contains: 'ai' }, 'paid', true],
    [{ contains: 'ai' }, 'free', false],
    [{ contains: 'paid' }, ['paid'], false],
    [{ includes: 'paid' }, ['free', 'paid'], true],
    [{ includes: 'ai' }, ['paid'], false],
    [{ includes: 3 }, ['3'], false],
    [{ includes: null }, [null], true],
    [{ includes: 'paid' }, 'paid', false],
    [{ includes: 'paid' }, { 0: 'paid' }, false],
    [{ exists: true }, null, true],
    [{ exists: true }, undefined, false],
    [{ exists: false }, null, false],
    [{ exists: false }, undefined, true],
    [{ exists: false, eq: 3 }, undefined, false],
    [{ exists: true, eq: 3 }, 3, true],
    [{ not: { eq: 3 } }, 3, false],
    [{ not: { eq: 3 } }, '3', true],
    [{ not: { eq: 3 } }, undefined, true],
    [{ not: { exists: false } }, undefined, false],
    [{ not: { exists: true } }, undefined, true],
    [{ not: { gt: 1, lt: 5 } }, 3, false],
    [{ not: { gt: 1, lt: 5 } }, 5, true],
    [{ not: { gt: 1, lt: 5 } }, 'three', true],
    [{ not: { not: { eq: 3 } } }, 3, true],
    [{ not: { not: { eq: 3 } } }, undefined, false],
    [{ exists: true, not: { eq: 3 } }, undefined, false],
    [{ exists: true, not: { eq: 3 } }, null, true],
    [{ exists: false, not: { eq: 3 } }, undefined, true],
    [{ gt: 1, not: { in: [2, 3] } }, 3, false],
    [{ gt: 1, not: { in: [2, 3] } }, 4, true],
  ])('%j of %j: %j', (is, value, expected) => {
    const properties = value === undefined ? {} : { plan: value }
    expect(isTrue({ property: '/plan', is }, { properties })).toBe(expected)
  })
})

describe('a pointer', () => {
  const document = {
    '': 'empty',
    a: { b: [10, { c: 1 }] },
    'a/b': 'slash',
    'm~n': 'tilde',
    '~1': 'both',
    '0': 'digit',
    eq: 'operator',
    constructor: 'own',
    list: ['x'],
  }

  test.each<[string, Json | undefined]>([
    ['', document],
    ['/', 'empty'],
    ['/a', { b: [10, { c: 1 }] }],
    ['/a/b/0', 10],
    ['/a/b/1/c', 1],
    ['/a~1b', 'slash'],
    ['/m~0n', 'tilde'],
    ['/~01', 'both'],
    ['/0', 'digit'],
    ['/eq', 'operator'],
    ['/constructor', 'own'],
    ['/a/b/00', undefined],
    ['/a/b/01', undefined],
    ['/a/b/-', undefined],
    ['/a/b/2', undefined],
    ['/a/b/length', undefined],
    ['/list/0/0', undefined],
    ['/list/0/length', undefined],
    ['/toString', undefined],
    ['/__proto__', undefined],
    ['/constructor/name', undefined],
    ['/a/constructor', undefined],
    ['/nothing/at/all', undefined],
  ])('%j', (pointer, expected) => {
    expect(valueAt(document, pointer)).toEqual(expected)
  })
})

describe('a property that is an instant, strictly and in milliseconds', () => {
  test.each<[string, Extract<Rule, { created: unknown }>['created'], Json, boolean]>([
    ['an instant before', { before: '2026-01-10T12:00:00Z' }, '2026-01-10T11:59:59.999Z', true],
    ['that instant', { before: '2026-01-10T12:00:00Z' }, '2026-01-10T13:00:00+01:00', false],
    ['that instant', { after: '2026-01-10T12:00:00Z' }, '2026-01-10T13:00:00+01:00', false],
    ['an instant after', { after: '2026-01-10T12:00:00Z' }, '2026-01-10T12:00:00.001Z', true],
    ['digits cut off', { after: '2026-01-10T12:00:00Z' }, '2026-01-10T12:00:00.0009Z', false],
    ['midnight of the day', { before: '2026-01-10' }, '2026-01-10T00:00:00Z', false],
    ['before midnight', { before: '2026-01-10' }, '2026-01-09T23:59:59.999Z', true],
    ['a day is its midnight', { before: '2026-01-10T00:00:00.001Z' }, '2026-01-10', true],
    ['a day is its midnight', { after: '2026-01-09T23:59:59.999Z' }, '2026-01-10', true],
    ['a day ago', { before: { ago: '1d' } }, '2026-01-09T12:00:00Z', false],
    ['more than a day ago', { before: { ago: '1d' } }, '2026-01-09T11:59:59.999Z', true],
    ['a day ago', { after: { ago: '1d' } }, '2026-01-09T12:00:00Z', false],
    ['less than a day ago', { after: { ago: '1d' } }, '2026-01-09T12:00:00.001Z', true],
    ['in two hours', { before: { ahead: '2h' } }, '2026-01-10T14:00:00Z', false],
    ['in less', { before: { ahead: '2h' } }, '2026-01-10T13:59:59.999Z', true],
    ['in two hours', { after: { ahead: '2h' } }, '2026-01-10T14:00:00Z', false],
    ['in more', { after: { ahead: '2h' } }, '2026-01-10T14:00:00.001Z', true],
    ['30 February, before', { before: { ahead: '9999w' } }, '2026-02-30', false],
    ['30 February, after', { after: { ago: '9999w' } }, '2026-02-30', false],
    ['no offset', { before: { ahead: '9999w' } }, '2026-01-01T00:00:00', false],
    ['a number', { before: { ahead: '9999w' } }, 0, false],
    ['a list', { before: { ahead: '9999w' } }, ['2026-01-01'], false],
    ['nothing', { after: { ago: '9999w' } }, null, false],
  ])('%s: %j %j is %j', (_what, is, when, expected) => {
    expect(isTrue({ property: '/when', is }, { properties: { when } })).toBe(expected)
  })

  test('a missing one is neither before nor after', () => {
    expect(isTrue({ property: '/when', is: { before: '2100-01-01' } })).toBe(false)
    expect(isTrue({ property: '/when', is: { after: '1900-01-01' } })).toBe(false)
  })

  test('the creation, too', () => {
    const before: Rule = { created: { before: { ago: '1d' } } }
    expect(isTrue(before, { createdAgo: day })).toBe(false)
    expect(isTrue(before, { createdAgo: day + 1 })).toBe(true)
    expect(isTrue({ created: { after: '2026-01-09' } }, { createdAgo: day })).toBe(true)
    expect(isTrue({ created: { after: '2026-01-09T12:00:00Z' } }, { createdAgo: day })).toBe(false)
  })
})

describe('a test that must have held for a while', () => {
  type Held = readonly [ago: number, plan: string]
  const rule: Rule = { property: '/plan', is: { eq: 'paid' }, for: '2h' }
  const states = (given: readonly Held[]): EntityView => ({
    ...entity(),
    states: given.map(([ago, plan]) => ({ from: noon - ago, properties: { plan } })),
  })
  const isHeld = (...given: readonly Held[]) => holds(rule, states(given), noon, () => false)

  test('is true from exactly then', () => {
    expect(isHeld([2 * hour, 'paid'])).toBe(true)
    expect(isHeld([2 * hour - 1, 'paid'])).toBe(false)
  })

  test('goes on where another change leaves it true', () => {
    expect(isHeld([2 * hour, 'paid'], [1, 'paid'])).toBe(true)
  })

  test('begins anew after a break, also one of no time', () => {
    expect(isHeld([day, 'paid'], [2 * hour - 1, 'free'], [2 * hour - 1, 'paid'])).toBe(false)
    expect(isHeld([day, 'paid'], [3 * hour, 'free'], [2 * hour, 'paid'])).toBe(true)
    expect(isHeld([day, 'paid'], [1, 'free'])).toBe(false)
  })
})

describe('a window', () => {
  test.each([
    ['at its end, an event is out', '1h', hour, false],
    ['a millisecond before, it is in', '1h', hour - 1, true],
    ['of minutes', '59m', 59 * minute, false],
    ['of minutes', '59m', 59 * minute - 1, true],
    ['of days', '3d', 3 * day, false],
    ['of days', '3d', 3 * day - 1, true],
    ['of weeks', '2w', 14 * day, false],
    ['of weeks', '2w', 14 * day - 1, true],
    ['now', '1m', 0, true],
    ['has no upper end', '1m', -minute, true],
  ])('%s: %s', (_what, within, ago, expected) => {
    expect(isTrue({ event: 'buy', within }, { buys: [[ago]] })).toBe(expected)
  })

  test.each([
    ['its first instant is in', hour, true],
    ['the one before is not', hour + 1, false],
    ['the last but one is in', 1, true],
    ['its end is out', 0, false],
  ])('between fixed instants: %s', (_what, ago, expected) => {
    const rule = { event: 'buy', after: '2026-01-10T11:00:00Z', before: '2026-01-10T12:00:00Z' }
    expect(isTrue(rule, { buys: [[ago]] })).toBe(expected)
    expect(isTrue(rule, { buys: [[ago]] }, noon + 900 * day)).toBe(expected)
  })

  test('one end may be open, or both', () => {
    expect(isTrue({ event: 'buy', after: '2026-01-10' }, { buys: [[12 * hour]] })).toBe(true)
    expect(isTrue({ event: 'buy', after: '2026-01-10' }, { buys: [[12 * hour + 1]] })).toBe(false)
    expect(isTrue({ event: 'buy', before: '2026-01-10' }, { buys: [[12 * hour]] })).toBe(false)
    expect(isTrue({ event: 'buy', before: '2026-01-10' }, { buys: [[12 * hour + 1]] })).toBe(true)
    expect(isTrue({ event: 'buy' }, { buys: [[36_500 * day]] })).toBe(true)
  })
})

describe('a count', () => {
  test.each([
    [{ gte: 0 }, [true, true, true, true]],
    [{ gte: 1 }, [false, true, true, true]],
    [{ gte: 2 }, [false, false, true, true]],
    [{ lte: 0 }, [true, false, false, false]],
    [{ lte: 1 }, [true, true, false, false]],
    [{ eq: 0 }, [true, false, false, false]],
    [{ eq: 1 }, [false, true, false, false]],
    [{ eq: 2 }, [false, false, true, false]],
    [undefined, [false, true, true, true]],
  ])('%j of none, 1, 2 and 3', (count, expected) => {
    const rule: Rule = { event: 'buy', within: '1h', ...(count === undefined ? {} : { count }) }
    const outside = [hour] as const
    const found = [0, 1, 2, 3].map((within) =>
      isTrue(rule, { buys: [outside, ...Array.from({ length: within }, () => [1] as const)] }),
    )
    expect(found).toEqual(expected)
  })

  test('is of the name alone, or of names that begin so', () => {
    const found = ['buy', 'Buy', 'bu', 'buy again'].map((name) =>
      isTrue({ event: name }, { buys: [[1]] }),
    )
    expect(found).toEqual([true, false, false, false])
    const begins = ['', 'b', 'buy', 'buy ', 'uy', 'B'].map((starts_with) =>
      isTrue({ event: { starts_with } }, { buys: [[1]] }),
    )
    expect(begins).toEqual([true, true, true, false, false, false])
  })

  test('is of those that pass every clause', () => {
    const where = { '/n': { gte: 2 }, '/to/0': { eq: 'x' } }
    const rule: Rule = { event: 'buy', where, count: { eq: 1 } }
    const good = [1, { n: 2, to: ['x'] }] as const
    expect(isTrue(rule, { buys: [good] })).toBe(true)
    expect(isTrue(rule, { buys: [[1, { n: 2 }], [1, { n: 1, to: ['x'] }], [1]] })).toBe(false)
    expect(isTrue(rule, { buys: [good, [2], good] })).toBe(false)
  })
})

describe('the last event', () => {
  const rule: Rule = { event: 'buy', last: { '/n': { eq: 1 } } }

  test('is the newest by its own time, not by its recording', () => {
    expect(
      isTrue(rule, {
        buys: [
          [1, { n: 1 }],
          [2, { n: 2 }],
        ],
      }),
    ).toBe(true)
    expect(
      isTrue(rule, {
        buys: [
          [2, { n: 1 }],
          [1, { n: 2 }],
        ],
      }),
    ).toBe(false)
  })

  test('of two at one instant is the later recorded', () => {
    expect(
      isTrue(rule, {
        buys: [
          [1, { n: 1 }],
          [1, { n: 2 }],
        ],
      }),
    ).toBe(false)
    expect(
      isTrue(rule, {
        buys: [
          [1, { n: 2 }],
          [1, { n: 1 }],
        ],
      }),
    ).toBe(true)
  })

  test('is one of those that pass, and there must be one', () => {
    const ofShop: Rule = {
      event: 'buy',
      where: { '/shop': { eq: 'a' } },
      last: { '/n': { eq: 1 } },
    }
    const buys = [
      [2, { shop: 'a', n: 1 }],
      [1, { shop: 'b', n: 2 }],
    ] as const
    expect(isTrue(ofShop, { buys })).toBe(true)
    expect(isTrue(rule, { buys })).toBe(false)
    expect(isTrue({ event: 'buy', last: { '/n': { exists: false } } })).toBe(false)
  })

  test('may be a minute ahead', () => {
    expect(
      isTrue(rule, {
        buys: [
          [-minute, { n: 1 }],
          [0, { n: 2 }],
        ],
      }),
    ).toBe(true)
  })
})

describe('all, any, not, everyone, another segment', () => {
  const [yes, no]: [Rule, Rule] = [{ everyone: true }, { not: { everyone: true } }]

  test.each<[Rule, boolean]>([
    [{ all: [yes, yes] }, true],
    [{ all: [yes, no] }, false],
    [{ any: [no, yes] }, true],
    [{ any: [no, no] }, false],
    [{ not: { any: [no, no] } }, true],
    [{ not: { not: yes } }, true],
    [{ not: { event: 'login', within: '30d' } }, true],
    [{ not: { property: '/plan', is: { eq: 'paid' } } }, true],
    [{ not: { property: '/plan', is: { before: '2026-01-01' } } }, true],
  ])('%j is %j', (rule, expected) => {
    expect(isTrue(rule)).toBe(expected)
  })

  test('a segment is asked for by its key', () => {
    const isIn = (rule: Rule) => holds(rule, entity(), noon, (key) => key === 'vip')
    expect(
      [{ segment: 'vip' }, { segment: 'other' }, { not: { segment: 'vip' } }].map(isIn),
    ).toEqual([true, false, false])
  })
})

describe('a bucket, by figures of another SHA-256', () => {
  test.each([
    [undefined, 'ada', 4034],
    ['', 'ada', 4034],
    ['a', 'ada', 4804],
    ['', 'Ada', 5229],
    ['exp', '42', 8229],
    ['π', '顧客 7', 1203],
  ])('of salt %j and %s', (salt, externalId, expected) => {
    expect(bucketOf(externalId, salt)).toBe(expected)
    const isBelow = (below: number) =>
      isTrue({ bucket: { ...(salt === undefined ? {} : { salt }), below } }, { externalId })
    expect([0, 100].map(isBelow)).toEqual([false, true])
    expect(isBelow(Math.floor(expected / 100))).toBe(false)
    expect(isBelow(Math.floor(expected / 100) + 1)).toBe(true)
  })
})
