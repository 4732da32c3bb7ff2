import { describe, expect, test } from '@jest/globals'
import {
  addToSegment,
  handRefusal,
  isSameMemberChange,
  reasonViolations,
  removeFromSegment,
} from '../../../src/domain/segments/hand-members.js'
import { deciding } from '../../support/decision-sentence.js'
import { byHand, byRule, definitionsOf, retired } from '../../support/segment-decisions.js'

const now = new Date('2026-11-20T09:30:00.007Z')
const command = {
  factId: 'fact-1',
  externalId: 'ada',
  segment: 'testers',
  reason: 'asked for it',
  now,
}
const data = {
  externalId: 'ada',
  segment: 'testers',
  reason: 'asked for it',
  at: '2026-11-20T09:30:00.007Z',
}

describe('membership by hand', () => {
  test('adds an existing entity to a segment', () => {
    deciding(addToSegment)(command).then('existing', [
      { id: 'fact-1', type: 'EntityAddedToSegment', data },
    ])
    expect(addToSegment(command).stream).toBe('entity-ada')
  })

  test('removes an existing entity from a segment', () => {
    deciding(removeFromSegment)(command).then('existing', [
      { id: 'fact-1', type: 'EntityRemovedFromSegment', data },
    ])
  })

  test('needs no reason', () => {
    const [fact] = addToSegment({ ...command, reason: undefined }).facts
    expect(Object.keys(fact.data)).toEqual(['externalId', 'segment', 'at'])
  })

  test('needs a live segment by hand', () => {
    const definitions = definitionsOf([byHand('hand'), byRule('rule'), byHand('no'), retired('no')])
    expect(['hand', 'rule', 'no', 'never'].map((key) => handRefusal(definitions, key))).toEqual([
      undefined,
      'segment_by_rule',
      'segment_not_found',
      'segment_not_found',
    ])
  })
})

describe('a reason', () => {
  test('has at most 255 characters, of any script', () => {
    expect(reasonViolations('🦊'.repeat(255))).toEqual([])
    expect(reasonViolations('🦊'.repeat(256))).toMatchObject([{ code: 'too_long' }])
  })

  test('may be empty, and is well-formed', () => {
    expect(reasonViolations('')).toEqual([])
    expect(reasonViolations('a\ud800')).toMatchObject([{ code: 'ill_formed' }])
  })
})

describe('two changes by hand come from equal requests', () => {
  const [added] = addToSegment(command).facts
  const other = (more: Partial<typeof command>) => addToSegment({ ...command, ...more }).facts[0]

  test('even if they were decided at different times', () => {
    expect(isSameMemberChange(added, other({ factId: 'fact-2', now: new Date(0) }))).toBe(true)
  })

  test('unless anything else differs', () => {
    for (const more of [{ segment: 'x' }, { externalId: 'x' }, { reason: 'x' }]) {
      expect(isSameMemberChange(added, other(more))).toBe(false)
    }
    expect(isSameMemberChange(added, removeFromSegment(command).facts[0])).toBe(false)
  })
})
