import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { parseRule } from '../../../../src/domain/segments/rule/parse-rule.js'
import { checker } from '../../../support/served-document.js'
import { externalIds, segmentKeys } from '../../../support/segments/history-log.js'
import { withLogTime } from '../../../support/segments/log-facts.js'
import { askedOf, ownFacts, viewOf } from '../../../support/segments/naive-answers.js'
import { liveSegments } from '../../../support/segments/naive-membership.js'
import { whyOf } from '../../../support/segments/naive-why.js'
import { randomHistories } from '../../../support/segments/random-histories.js'
import { randomRules } from '../../../support/segments/random-rules.js'
import {
  lacking,
  misspelt,
  ofWrongType,
  withForeign,
} from '../../../support/segments/rule-mistakes.js'
import { sitesIn } from '../../../support/segments/rule-sites.js'
import { quickOrThorough } from '../../../support/thoroughness.js'

/** Tests the schemas of rules and explanations, because generated clients know only the document. */

const numRuns = quickOrThorough({ quick: 20, thorough: 2_000 })
const rules = randomRules(segmentKeys)

test('every rule of the grammar matches the document', () => {
  fc.assert(
    fc.property(rules, (rule) => {
      expect(checker.valueFaults('Rule', rule)).toEqual([])
    }),
    { numRuns },
  )
})

test.each([
  ['a misspelt word', misspelt],
  ['an unknown word', withForeign],
  ['a missing word', lacking],
  ['an operand of another type', ofWrongType],
])('the service and the document both refuse a rule with %s', (_mistake, mistakes) => {
  const mistaken = rules.map((rule) => sitesIn(rule).flatMap((site) => mistakes(rule, site)))
  fc.assert(
    fc.property(mistaken, (made) => {
      for (const { rule } of made) {
        expect(parseRule(rule)).toHaveProperty('violations')
        expect(checker.valueFaults('Rule', rule)).not.toEqual([])
      }
    }),
    { numRuns: numRuns / 10 },
  )
})

test('every explanation matches the document', () => {
  fc.assert(
    fc.property(randomHistories, rules, (history, rule) => {
      const asked = askedOf(withLogTime(history), {})
      const segments = liveSegments(asked.log)
      for (const externalId of externalIds) {
        const entity = viewOf(asked, externalId)
        if (entity === undefined) continue
        const facts = ownFacts(asked, externalId)
        const why = whyOf(rule, { segments, entity, facts, T: asked.T })
        expect(checker.valueFaults('Why', why)).toEqual([])
      }
    }),
    { numRuns },
  )
})

test('a segment by hand is explained as documented, and no other segment is', () => {
  const why = { holds: true, until: null, by_hand: true }
  expect(checker.valueFaults('Why', why)).toEqual([])
  expect(checker.valueFaults('Why', { ...why, by_hand: false })).not.toEqual([])
  expect(checker.valueFaults('Why', { holds: true, until: null })).not.toEqual([])
})
