import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import type { Rule } from '../../src/client/dossier.js'
import { plainWords, ruleWords } from '../../src/console/parts/rule-words.js'
import { randomRules } from '../support/segments/random-rules.js'
import { quickOrThorough } from '../support/thoroughness.js'

describe('A rule in words', () => {
  it.each<readonly [string, Rule]>([
    ['plan is "paid"', { property: '/plan', is: { eq: 'paid' } }],
    ['plan is not "paid"', { not: { property: '/plan', is: { eq: 'paid' } } }],
    ['plan is not "paid"', { property: '/plan', is: { not: { eq: 'paid' } } }],
    ['plan is not known', { not: { property: '/plan', is: { exists: true } } }],
    [
      'country is "NO" or "SE", for 14 days without a break',
      { property: '/country', is: { in: ['NO', 'SE'] }, for: '14d' },
    ],
    ['created after 7 days ago', { created: { after: { ago: '7d' } } }],
    ['ends is before 30 days from now', { property: '/ends', is: { before: { ahead: '30d' } } }],
    [
      'at least 3 login events in the last 24 hours',
      { event: 'login', within: '24h', count: { gte: 3 } },
    ],
    ['no login event in the last 30 days', { not: { event: 'login', within: '30d' } }],
    ['at most 2 login events ever', { not: { event: 'login', count: { gte: 3 } } }],
    ['no buy event ever', { event: 'buy', count: { lte: 0 } }],
    [
      'at least 1 buy event where total is over 100 on or after 2026-11-01 and before 2026-12-01',
      { event: 'buy', where: { '/total': { gt: 100 } }, after: '2026-11-01', before: '2026-12-01' },
    ],
    [
      'the last delivered event passes: late is true',
      { event: 'delivered', last: { '/late': { eq: true } } },
    ],
    [
      'in big and among a fixed 10 % of everybody drawn by autumn',
      { all: [{ segment: 'big' }, { bucket: { salt: 'autumn', below: 10 } }] },
    ],
    [
      'everybody and (in a or at least 1 event called b… ever)',
      { all: [{ everyone: true }, { any: [{ segment: 'a' }, { event: { starts_with: 'b' } }] }] },
    ],
    ['not in a or no b event ever', { not: { all: [{ segment: 'a' }, { event: 'b' }] } }],
  ])('says “%s”', (words, rule) => {
    expect(plainWords(ruleWords(rule))).toBe(words)
  })

  it('has words for every rule that the language has', () => {
    fc.assert(
      fc.property(randomRules(['s-1', 's-2']), fc.boolean(), (rule, negated) => {
        const words = ruleWords(rule, negated)
        expect(words.length).toBeGreaterThan(0)
        expect(plainWords(words)).not.toMatch(/undefined|NaN|\[object/)
      }),
      { numRuns: quickOrThorough({ quick: 100, thorough: 1_000 }) },
    )
  })
})
