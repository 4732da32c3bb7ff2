import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import type { Count, Explanation, Found, Rule, Why } from '../../src/client/dossier.js'
import { plainWords } from '../../src/console/parts/rule-words.js'
import { deciding, foundWords } from '../../src/console/why/found.js'
import { remedyOf } from '../../src/console/why/remedy.js'
import { missingEvent, reasonOf } from '../../src/console/why/sentence.js'
import { shownPart, type ShownPart } from '../../src/console/why/tree.js'
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
  const { sentences, change } = reasonOf(explained(why, more), lastAt)
  return [...sentences, ...(change === undefined ? [] : [change])].map(plainWords).join(' ')
}

describe('Why, in a sentence', () => {
  it('names the count, the missing part, and the last event', () => {
    expect(said(notBought, at)).toBe(
      `0 of 1 buy event in the last 90 days. One buy event would do. The last one: ${at}.`,
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
      'One buy event between 30 and 90 days ago would do.',
    )
    expect(said(all('90d'))).toContain('Nothing that can be recorded would bring them in')
    expect(said(all('12w'))).toContain('One buy event between 12 weeks and 90 days ago would do.')
    const found = { counted: 0, evidence: [], holds: false, until: null }
    const ever: Why = { event: 'buy', needed: { gte: 1 }, ...found }
    const twice = { not: { ...notBought, within: '1h' }, holds: true, until: null }
    expect(said({ all: [ever, twice, notLately], holds: false, until: null })).toContain(
      'One buy event more than 30 days ago would do.',
    )
  })

  it('says since when an entity is a member, by which cause, and when it leaves', () => {
    const why: Why = { all: [bought, notLately], holds: true, until: at }
    expect(said(why, undefined, { since: at })).toBe(
      `Since ${at}: 1 buy event in the last 90 days; no buy event in the last 30 days. ` +
        `If nothing else happens, they leave on ${at}.`,
    )
  })

  it.each<readonly [string, Why]>([
    [
      'plan is "free", and the rule asks that it is "paid". A change after which plan is "paid" would do.',
      { property: '/plan', is: { eq: 'paid' }, value: 'free', holds: false, ...never },
    ],
    [
      'plan is not known, and the rule asks that it is "paid", for 14 days without a break. A change after which plan is "paid" for 14 days would do.',
      { property: '/plan', is: { eq: 'paid' }, for: '14d', holds: false, ...never },
    ],
    [
      `Waiting until ${at}, if plan stays as it is, would do. If nothing else happens, they enter on`,
      { property: '/plan', is: { eq: 'paid' }, for: '14d', value: 'paid', holds: false, until: at },
    ],
    [
      'ends is 17, which is no time, and the rule asks that it is before 2026-01-01',
      {
        ...{ property: '/ends', is: { before: '2026-01-01' }, value: 17, not_a_time: true },
        ...{ holds: false, until: null },
      },
    ],
    ['Not in big. Entering big would do.', { segment: 'big', holds: false, ...never }],
    [
      'Not created after 7 days ago. Nothing that can be recorded would bring them in: when they were created never changes.',
      { created: { after: { ago: '7d' } }, holds: false, ...never },
    ],
    [
      `Not created before 7 days ago. If nothing else happens, they enter on ${at}.`,
      { created: { before: { ago: '7d' } }, holds: false, until: at },
    ],
    [
      'Not among a fixed 10 % of everybody. Nothing that can be recorded would bring them in: the share',
      { bucket: { below: 10 }, holds: false, ...never },
    ],
    [
      'Everybody. Nothing that can be recorded would bring them in: everybody is in.',
      { not: { everyone: true, holds: true, ...never }, holds: false, ...never },
    ],
    [
      'Nobody has added them by hand. Somebody adding them by hand would do.',
      { by_hand: true, holds: false, ...never },
    ],
    [
      'There is no seen event. A newer seen event that passes',
      { event: 'seen', last: { '/late': { eq: true } }, evidence: [], holds: false, ...never },
    ],
    [
      `The last seen event, ${at}, does not pass: late is true. A newer seen event that passes: late is true would do.`,
      { event: 'seen', last: { '/late': { eq: true } }, evidence: [one], holds: false, ...never },
    ],
    [
      '3 buy events ever, and the rule asks for at most 2. Nothing that can be recorded would bring them in: what has happened stays.',
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
      `1 buy event in the last 90 days, and the rule asks for none. If nothing else happens, they enter on ${at}.`,
      { not: bought, holds: false, until: at },
    ],
    [
      '1 buy event ever, and the rule asks for exactly 3. 2 more buy events would do.',
      { event: 'buy', needed: { eq: 3 }, counted: 1, evidence: [one], holds: false, ...never },
    ],
    [
      '0 of 1 buy event in the last 90 days; not in big. One buy event or entering big would do.',
      { any: [notBought, { segment: 'big', holds: false, ...never }], holds: false, ...never },
    ],
    [
      'Entering big and (one buy event or entering vip) would do.',
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
          const { sentences, change = ['never'] } = reasonOf(explained(why))
          const words = [...deciding(why).map(foundWords), ...sentences, change]
          const remedy = remedyOf(why, wanted)
          expect(remedy === undefined).toBe(why.holds === wanted)
          for (const each of remedy === undefined ? words : [...words, remedy.words]) {
            expect(plainWords(each)).not.toMatch(/undefined|NaN|\[object|^$/)
          }
        },
      ),
      { numRuns: quickOrThorough({ quick: 100, thorough: 2_000 }) },
    )
  })
})

describe('a rule, part by part', () => {
  const [met, bad] = [
    { ...bought, until: null },
    { ...notBought, until: null },
  ]
  const states = (why: Why): unknown => {
    const outline = ({ state, isNeeded, words, parts }: ShownPart): unknown =>
      parts.length === 0
        ? `${isNeeded ? 'needed' : 'extra'}: ${state}: ${plainWords(words)}`
        : [`${state}: ${plainWords(words)}`, ...parts.map(outline)]
    return outline(shownPart(why))
  }

  it('marks an event that the rule forbids as in the way, not as met', () => {
    const not: Why = { not: { ...met, within: '14d' }, holds: false, until: null }
    expect(states({ all: [met, not], holds: false, until: null })).toEqual([
      'not met: all of',
      'needed: met: at least 1 buy event in the last 90 days',
      'needed: in the way: no buy event in the last 14 days',
    ])
  })

  it('words the parts of a negated group as their opposites', () => {
    const any: Why = { any: [met, bad], holds: true, until: null }
    expect(states({ not: any, holds: false, until: null })).toEqual([
      'not met: all of',
      'needed: in the way: no buy event in the last 90 days',
      'needed: met: no buy event in the last 90 days',
    ])
  })

  it('does not count a missing part as needed where another part is enough', () => {
    expect(states({ any: [met, bad], holds: true, until: null })).toEqual([
      'met: at least one of',
      'extra: met: at least 1 buy event in the last 90 days',
      'extra: not met: at least 1 buy event in the last 90 days',
    ])
  })

  it('has a state and words for each part of every rule', () => {
    fc.assert(
      fc.property(randomRules(['s-1']), fc.array(fc.nat(3), { minLength: 1 }), (rule, some) => {
        let next = 0
        const why = foundOf(rule, () => some[(next += 1) % some.length] ?? 0)
        const walk = (part: ShownPart): void => {
          expect(plainWords([...part.words, ...part.found])).not.toMatch(
            /undefined|NaN|\[object|^$/,
          )
          const isMet = ({ state }: ShownPart) => state === 'met'
          const { words, parts } = part
          if (parts.length > 0) {
            const isAll = plainWords(words) === 'all of'
            expect(isMet(part)).toBe(isAll ? parts.every(isMet) : parts.some(isMet))
          }
          parts.forEach(walk)
        }
        const shown = shownPart(why)
        expect(shown.state === 'met').toBe(why.holds)
        walk(shown)
      }),
      { numRuns: quickOrThorough({ quick: 200, thorough: 1_000 }) },
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
