import { describe, expect, test } from '@jest/globals'
import { factTable, meaningOf } from '../../src/application/facts/fact-table.js'
import { logTimeAfter } from '../../src/domain/facts.js'

const at = Date.parse('2026-11-20T09:30:00.000Z')
const facts = Object.values(factTable).map(({ example }) => example)
const membershipTypes = ['SegmentBuilt', 'EntityEnteredSegment', 'EntityLeftSegment']
const isUnrelated = (type: string) => membershipTypes.includes(type) || type.startsWith('Webhook')
const derived = facts.filter(({ type }) => isUnrelated(type))
const recorded = facts.filter(({ type }) => !isUnrelated(type))

describe('log time', () => {
  test.each(recorded)('is moved forward by $type', (fact) => {
    expect(logTimeAfter(0, meaningOf(fact))).toBe(at)
  })

  test.each(derived)('is not changed by $type, which is derived or about a webhook', (fact) => {
    expect(logTimeAfter(7, meaningOf(fact))).toBe(7)
  })

  test.each(facts)('never decreases when $type has an earlier time', (fact) => {
    expect(logTimeAfter(at + 1, meaningOf(fact))).toBe(at + 1)
  })
})
