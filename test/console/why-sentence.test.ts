import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import type { Count, Explanation, Found, Rule, Why } from '../../src/client/dossier.js'
import { plainWords } from '../../src/console/parts/rule-words.js'
import { deciding, foundWords } from '../../src/console/why/found.js'
import { remedyOf } from '../../src/console/why/remedy.js'
import { missingEvent, whySentences } from '../../src/console/why/sentence.js'
import { randomRules } from '../support/segments/random-rules.js'
import { quickOrThorough } from '../support/thoroughness.js'

const at = '2026-08-03T09:00:00.000Z'
const never = { until: null }
const one = { fact_id: 'f', occurred_at: at }

const bought: Why = {
  ...{ event: 'buy', within: '90d', needed: { gte: 1 }, counted: 1, evidence: [one] },
  ...{ holds: true, until: at },
}
const notBought: Why = { ...bought, holds: false, counted: 0, evidence: [], until: null }
const notLately: Why = { not: { ...notBought, within: '30d' }, holds: true, until: null }

function explained(why: Why, more: Partial<Explanation> = {}): Explanation {
  const { holds: member, until } = why
  return { segment: 'win-back', version: 1, member, since: null, until, periods: [], why, ...more }
}

function said(why: Why, lastAt?: string, more?: Partial<Explanation>): string {
  return whySentences(explained(why, more), lastAt).map(plainWords).join(' ')
}

describe('Why, in a sentence', () => {
  it('names the count, the missing part, and the last event', () => {
    expect(said(notBought, at)).toBe(
      `Not in win-back: 0 of 1 buy in the last 90 days. One buy would do. The last one: ${at}.`,
    )
    expect(missingEvent(explained(notBought))).toBe('buy')
  })

  it('suggests no event that another part of the rule forbids', () => {
    const all = (within: string): Why => ({
      all: [notBought, { not: { ...notBought, within }, holds: true, until: null }],
      holds: false,
      until: null,
    })
    expect(said({ all: [notBought, notLately], holds: false, until: null })).toContain(
      'One buy between 30 and 90 days ago would do.',
    )
    expect(said(all('90d'))).toContain('Nothing that is recorded would bring them in')
    expect(said(all('12w'))).toContain('One buy between 12 weeks and 90 days ago would do.')
    const found = { counted: 0, evidence: [], holds: false, until: null }
    const ever: Why = { event: 'buy', needed: { gte: 1 }, ...found }
    const twice = { not: { ...notBought, within: '1h' }, holds: true, until: null }
    expect(said({ all: [ever, twice, notLately], holds: false, until: null })).toContain(
      'One buy more than 30 days ago would do.',
    )
  })

  it('says since when an entity is a member, by which cause, and when it leaves', () => {
    const why: Why = { all: [bought, notLately], holds: true, until: at }
    expect(said(why, undefined, { since: at })).toBe(
      `In win-back since ${at}: 1 buy in the last 90 days and no buy in the last 30 days. ` +
        `They leave by time alone on ${at} if nothing else is recorded.`,
    )
  })

  it.each<readonly [string, Why]>([
    [
      '/plan is "free" (asked: is "paid"). A change after which /plan is "paid" would do.',
      { property: '/plan', is: { eq: 'paid' }, value: 'free', holds: false, ...never },
    ],
    [
      '/plan is not there (asked: is "paid", for 14 days without a break). A change after which /plan is "paid" for 14 days would do.',
      { property: '/plan', is: { eq: 'paid' }, for: '14d', holds: false, ...never },
    ],
    [
      `Time alone, on ${at}, if /plan stays as it is, would do. They enter`,
      { property: '/plan', is: { eq: 'paid' }, for: '14d', value: 'paid', holds: false, until: at },
    ],
    [
      '/ends is 17, which is no time (asked: is before 2026-01-01)',
      {
        ...{ property: '/ends', is: { before: '2026-01-01' }, value: 17, not_a_time: true },
        ...{ holds: false, until: null },
      },
    ],
    ['not in big. Entering big would do.', { segment: 'big', holds: false, ...never }],
    [
      'not created after 7 days ago. Nothing that is recorded would bring them in: when they were created never changes.',
      { created: { after: { ago: '7d' } }, holds: false, ...never },
    ],
    [
      `not created before 7 days ago. They enter by time alone on ${at} if nothing else is recorded.`,
      { created: { before: { ago: '7d' } }, holds: false, until: at },
    ],
    [
      'not among a fixed 10 % of everybody. Nothing that is recorded would bring them in: the share',
      { bucket: { below: 10 }, holds: false, ...never },
    ],
    [
      'everybody. Nothing that is recorded would bring them in: everybody is in.',
      { not: { everyone: true, holds: true, ...never }, holds: false, ...never },
    ],
    [
      'nobody has put them in by hand. Somebody putting them in by hand would do.',
      { by_hand: true, holds: false, ...never },
    ],
    [
      'there is no seen. A newer seen that passes',
      { event: 'seen', last: { '/late': { eq: true } }, evidence: [], holds: false, ...never },
    ],
    [
      `the last seen, ${at}, does not pass: /late is true. A newer seen that passes: /late is true would do.`,
      { event: 'seen', last: { '/late': { eq: true } }, evidence: [one], holds: false, ...never },
    ],
    [
      '3 buy ever (asked: at most 2). Nothing that is recorded would bring them in: what has happened stays.',
      {
        event: 'buy',
        count: { lte: 2 },
        needed: { lte: 2 },
        counted: 3,
        evidence: [one],
        holds: false,
        ...never,
      },
    ],
    [
      `1 buy in the last 90 days (asked: none). They enter by time alone on ${at} if`,
      { not: bought, holds: false, until: at },
    ],
    [
      '1 buy ever (asked: exactly 3). 2 more buy would do.',
      { event: 'buy', needed: { eq: 3 }, counted: 1, evidence: [one], holds: false, ...never },
    ],
    [
      '0 of 1 buy in the last 90 days and not in big. One buy or entering big would do.',
      { any: [notBought, { segment: 'big', holds: false, ...never }], holds: false, ...never },
    ],
    [
      'Entering big and (one buy or entering vip) would do.',
      {
        all: [
          { segment: 'big', holds: false, ...never },
          { any: [notBought, { segment: 'vip', holds: false, ...never }], holds: false, ...never },
        ],
        ...{ holds: false, until: null },
      },
    ],
  ])('says “%s”', (words, why) => {
    expect(said(why)).toContain(words)
  })

  it('has words for every rule, and advice only when the rule as a whole is not fulfilled', () => {
    fc.assert(
      fc.property(
        randomRules(['s-1']),
        fc.boolean(),
        fc.array(fc.nat(3), { minLength: 1, maxLength: 20 }),
        (rule, wanted, some) => {
          let next = 0
          const why = foundOf(rule, () => some[(next += 1) % some.length] ?? 0)
          const words = [...deciding(why).map(foundWords), ...whySentences(explained(why))]
          const remedy = remedyOf(why, wanted)
          expect(remedy === undefined).toBe(why.holds === wanted)
          for (const each of remedy === undefined ? words : [...words, remedy.words]) {
            expect(plainWords(each)).not.toMatch(/undefined|NaN|\[object|^$/)
          }
        },
      ),
      { numRuns: quickOrThorough({ quick: 400, thorough: 2_000 }) },
    )
  })
})

/** What may be found of a rule: each part by chance, what has parts by them. */
function foundOf(rule: Rule, some: () => number): Why {
  const until = some() === 0 ? at : null
  if ('not' in rule) {
    const not = foundOf(rule.not, some)
    return { not, holds: !not.holds, until }
  }
  if ('all' in rule) {
    const all = rule.all.map((part) => foundOf(part, some))
    return { all, holds: all.every(({ holds }) => holds), until }
  }
  if ('any' in rule) {
    const any = rule.any.map((part) => foundOf(part, some))
    return { any, holds: any.some(({ holds }) => holds), until }
  }
  return leafOf(rule, some, { holds: some() % 2 === 0, until })
}

function leafOf(rule: Leaf, some: () => number, found: Found): Why {
  if ('everyone' in rule) return { everyone: true, holds: true, until: null }
  if ('last' in rule) return { ...rule, ...found, evidence: some() === 0 ? [] : [one] }
  if ('property' in rule) return { ...rule, ...found, ...(some() === 0 ? {} : { value: 'paid' }) }
  if (!('event' in rule)) return { ...rule, ...found }
  const { count: needed = { gte: 1 } } = rule
  const counted = some()
  const evidence = counted === 0 ? [] : [one]
  return { ...rule, ...found, holds: isEnough(counted, needed), needed, counted, evidence }
}

function isEnough(counted: number, needed: Count): boolean {
  if ('gte' in needed) return counted >= needed.gte
  return 'lte' in needed ? counted <= needed.lte : counted === needed.eq
}

type Leaf = Exclude<Rule, { all: unknown } | { any: unknown } | { not: unknown }>
