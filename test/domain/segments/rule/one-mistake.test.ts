import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import type { RuleViolation } from '../../../../src/domain/rule-violation.js'
import { parseRule } from '../../../../src/domain/segments/rule/parse-rule.js'
import { quickOrThorough } from '../../../support/thoroughness.js'
import { randomRules } from '../../../support/segments/random-rules.js'
import type { Rule } from '../../../support/segments/rule-grammar.js'
import {
  lacking,
  misplaced,
  misspelt,
  ofWrongType,
  replaced,
  withForeign,
  withoutPointer,
  type MistakenRule,
} from '../../../support/segments/rule-mistakes.js'
import { operandOf, sitesIn, wordsOf, type Site } from '../../../support/segments/rule-sites.js'

const numRuns = quickOrThorough({ quick: 40, thorough: 2_000 })
const rules = randomRules(['a', 'b'])

function violations(rule: unknown): readonly RuleViolation[] {
  const parsed = parseRule(rule)
  return 'rule' in parsed ? [] : parsed.violations
}

/** Makes one of the possible mistakes in one of the objects of a random rule. */
function aMistake(
  mistakes: (rule: Rule, site: Site) => readonly MistakenRule[],
): fc.Arbitrary<MistakenRule> {
  return rules
    .map((rule) => sitesIn(rule).flatMap((site) => mistakes(rule, site)))
    .filter((made) => made.length > 0)
    .chain((made) => fc.constantFrom(...made))
}

/** Checks that the rule has exactly one violation, and checks that violation. */
function expectOne(
  mistaken: fc.Arbitrary<MistakenRule>,
  expected: (made: MistakenRule, found: RuleViolation) => Pick<RuleViolation, 'path' | 'code'>,
): void {
  fc.assert(
    fc.property(mistaken, (made) => {
      const all = violations(made.rule)
      expect(all).toMatchObject(all.slice(0, 1).map((found) => expected(made, found)))
      expect(all).toHaveLength(1)
    }),
    { numRuns },
  )
}

const names = (message: string, word: string) => message.split(/[^a-z_]+/).includes(word)

test.each([
  ['that is misspelt or comes from another product', misspelt],
  ['that is unknown beside valid words', withForeign],
] as const)(
  'an unknown word %s leads to exactly one violation, which names the word',
  (_, mistakes) => {
    expectOne(aMistake(mistakes), ({ site, word }) => ({
      path: [...site, word],
      code: 'unknown_field',
    }))
  },
)

test('a misplaced word leads to exactly one violation, at the word or next to it, which names the word', () => {
  expectOne(aMistake(misplaced), ({ site, word }, { path, code, message }) => {
    const last = path.at(-1) ?? ''
    expect(['unknown_field', 'conflict']).toContain(code)
    expect([word, names(message, word) ? last : word]).toContain(last)
    return { path: [...site, last], code }
  })
})

test('a missing word leads to exactly one violation, which names the word', () => {
  expectOne(aMistake(lacking), ({ site, word }, { message }) => {
    const isListed = message.startsWith('must have one of') && names(message, word)
    const path = isListed ? site : [...site, word]
    return { path, code: 'required' }
  })
})

test('an operand of another type leads to exactly one violation, at its word', () => {
  expectOne(aMistake(ofWrongType), ({ site, word }) => ({
    path: [...site, word],
    code: 'wrong_type',
  }))
})

test('a test without a pointer leads to exactly one violation, at its place', () => {
  expectOne(aMistake(withoutPointer), ({ site, word }) => ({
    path: [...site, word],
    code: 'bad_characters',
  }))
})

test('a hint lists all words that would correct a misspelt rule, and no others', () => {
  const slips = rules.chain((rule) =>
    fc
      .constantFrom(...sitesIn(rule))
      .chain((site) =>
        fc
          .constantFrom(...Object.keys(site.members))
          .map((word) => ({ rule, site, word, made: replaced(rule, site, word, ['wrod', true]) })),
      ),
  )
  fc.assert(
    fc.property(slips, ({ rule, site, word, made }) => {
      const [found] = violations(made.rule)
      const [, hint = ''] = found?.message.split('there may be ') ?? []
      const listed = hint.split(', ')
      const asTried = wordsOf(site.kind)
        .filter((other) => other === word || !Object.hasOwn(site.members, other))
        .map((other) => {
          const operand = other === word ? site.members[word] : operandOf(site.kind, other)
          const codes = violations(replaced(rule, site, word, [other, operand]).rule).map(
            ({ code }) => code,
          )
          return { other, isRight: codes.length === 0, isMisplaced: !codes.every(isOfMissing) }
        })
      const right = asTried.filter(({ isRight }) => isRight).map(({ other }) => other)
      expect(listed).toEqual(expect.arrayContaining(right))
      const misplacedWords = asTried.filter((one) => one.isMisplaced).map(({ other }) => other)
      expect(listed.filter((one) => misplacedWords.includes(one))).toEqual([])
      expect(wordsOf(site.kind)).toEqual(expect.arrayContaining(listed))
    }),
    { numRuns },
  )
})

function isOfMissing(code: string): boolean {
  return code === 'required'
}
