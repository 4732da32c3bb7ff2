import { describe, expect, test } from '@jest/globals'
import { byHand, byRule, definitionsOf, given, retired } from '../../support/segment-decisions.js'

describe('a segment is retired', () => {
  test('at its live version', () => {
    const definitions = definitionsOf([byRule('a'), byRule('a', { not: { everyone: true } })])
    expect(retired('a').decide(definitions)).toEqual({
      outcome: 'retired',
      fact: {
        id: 'fact',
        type: 'SegmentRetired',
        data: { segment: 'a', version: 2, retiredAt: '2026-11-20T09:30:00.007Z' },
      },
    })
  })

  test('unless it does not exist', () => {
    given().when(retired('a')).refuses('segment_not_found')
    given(byHand('a'), retired('a')).when(retired('a')).refuses('segment_not_found')
  })

  test('unless another segment names it', () => {
    const named = [byRule('a'), byRule('b', { any: [{ not: { segment: 'a' } }] })]
    given(...named)
      .when(retired('a'))
      .refuses('segment_in_use')
    given(...named, retired('b'))
      .when(retired('a'))
      .then({ version: 1 })
    given(...named, byRule('b'))
      .when(retired('a'))
      .then({ version: 1 })
  })

  test('unless the caller expects another version', () => {
    given(byRule('a'))
      .when(retired('a', { precondition: { match: [2] } }))
      .refuses('precondition_failed')
    given(byRule('a'))
      .when(retired('a', { precondition: { match: [1] } }))
      .then({ version: 1 })
  })
})
