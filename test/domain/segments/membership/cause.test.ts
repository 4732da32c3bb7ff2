import { describe, expect, it } from '@jest/globals'
import { compileRule } from '../../../../src/domain/segments/rule/compiled-rule.js'
import type { EarlierFacts } from '../../../../src/domain/segments/membership/conditions.js'
import { emptyState } from '../../../../src/domain/segments/membership/entity-state.js'
import {
  SegmentSet,
  type MembershipChange,
} from '../../../../src/domain/segments/membership/membership.js'
import type { Rule } from '../../../../src/domain/segments/rule/rule.js'

const subject = { externalId: 'ada', createdAt: 0, bucketOf: () => 0 }

/**
 * Returns the changes of `b`, whose rule names `a`, when an event of this name is recorded, and in the hour
 * after it.
 */
function causesOf(b: Rule, name: string): readonly Pick<MembershipChange, 'segment' | 'cause'>[] {
  const options = { nameOf: (text: string) => text, segmentId: (key: string) => key }
  const a: Rule = { event: 'buy', within: '30m' }
  const set = new SegmentSet([
    { id: 'a', rule: compileRule(a, options) },
    { id: 'b', rule: compileRule(b, options) },
  ])
  const state = emptyState()
  const changes: MembershipChange[] = []
  const effect = { kind: 'event', event: { name, properties: {} } } as const
  const event = { id: 'the event', at: 0, effect, isFirst: false, beginsProperties: false }
  const onChange = (change: MembershipChange) => changes.push(change)
  set.applyFact(subject, state, event, { now: 0, earlier: noneEarlier, onChange })
  set.passTime(subject, state, 3_600_000, onChange)
  return changes.filter(({ segment }) => segment === 'b')
}

const noneEarlier: EarlierFacts = {
  nextChange: () => undefined,
  voided: () => undefined,
  newestEvents: () => [],
}

describe('the cause of entering a segment whose rule names another segment', () => {
  it('is the other segment, if that segment changed by the same fact or timer', () => {
    expect(causesOf({ segment: 'a' }, 'buy')).toMatchObject([
      { enters: true, at: 0, cause: { kind: 'segment', factId: 'the event' } },
      { enters: false, at: 1_800_000, cause: { kind: 'segment' } },
    ])
  })

  it('is the other segment, if the counted event alone would not have changed the rule', () => {
    const b: Rule = { all: [{ segment: 'a' }, { not: { event: 'buy', count: { gte: 5 } } }] }
    expect(causesOf(b, 'buy')[0]?.cause).toEqual({ kind: 'segment', factId: 'the event' })
  })

  it('is the event or time, if it is sufficient without the other segment', () => {
    const b: Rule = { any: [{ segment: 'a' }, { event: 'buy', within: '30m' }] }
    expect(causesOf(b, 'buy')).toMatchObject([
      { enters: true, cause: { kind: 'event', factId: 'the event' } },
      { enters: false, cause: { kind: 'segment' } },
    ])
  })
})
