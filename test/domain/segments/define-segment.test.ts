import { describe, expect, test } from '@jest/globals'
import { RecordedDefinitions } from '../../../src/domain/segments/definitions.js'
import { maxSegments } from '../../../src/domain/segments/define-segment.js'
import { byHand, byRule, given, retired } from '../../support/segment-decisions.js'

const buyers = { event: 'purchase', within: '90d' }
const others = (...keys: readonly string[]) => ({ all: keys.map((segment) => ({ segment })) })

describe('a new segment', () => {
  test('by rule is version 1 and has its whole definition', () => {
    const decision = byRule('buyers', buyers, { title: 'Buyers' }).decide(new RecordedDefinitions())
    expect(decision).toEqual({
      outcome: 'defined',
      isNew: true,
      fact: {
        id: 'fact',
        type: 'SegmentDefined',
        data: {
          segment: 'buyers',
          version: 1,
          title: 'Buyers',
          kind: 'rule',
          rule: buyers,
          evaluator: 1,
          definedAt: '2026-11-20T09:30:00.007Z',
        },
      },
    })
  })

  test('by hand has no rule', () => {
    const decision = byHand('testers').decide(new RecordedDefinitions())
    expect(decision).toMatchObject({ fact: { data: { kind: 'hand' } } })
    expect(decision).not.toHaveProperty('fact.data.rule')
  })

  test('continues the version numbers of a retired key', () => {
    const before = given(byRule('a'), byRule('a', buyers), retired('a'))
    before.when(byRule('a')).then({ version: 3 })
    before.when(byRule('a')).isNew(true)
  })

  test('may have another kind than its retired predecessor', () => {
    given(byRule('a'), retired('a')).when(byHand('a')).then({ kind: 'hand', version: 2 })
  })
})

describe('a live segment', () => {
  test('gets a new version with another rule', () => {
    given(byRule('a')).when(byRule('a', buyers)).then({ version: 2, rule: buyers })
    given(byRule('a')).when(byRule('a', buyers)).isNew(false)
  })

  test('gets a new version with another title', () => {
    given(byHand('a'))
      .when(byHand('a', { title: 'Another' }))
      .then({ version: 2 })
  })

  test('stays the same version for an equal definition, in any order of members', () => {
    const turned = { within: '90d', event: 'purchase' }
    given(byRule('a', buyers)).when(byRule('a', turned)).saysNothing()
    given(byHand('a')).when(byHand('a')).saysNothing()
  })

  test('cannot change its kind', () => {
    given(byRule('a')).when(byHand('a')).refuses('kind_differs')
    given(byHand('a')).when(byRule('a')).refuses('kind_differs')
  })
})

describe('a segment that a rule names', () => {
  test('must be live', () => {
    given(byRule('a'), byHand('b'))
      .when(byRule('c', others('a', 'b')))
      .then({ version: 1 })
  })

  test('is reported at each path when it does not exist', () => {
    given(byRule('a'))
      .when(byRule('b', { any: [{ not: { segment: 'x' } }, { segment: 'a' }, others('y')] }))
      .finds(['any/0/not/segment', 'unknown_segment'], ['any/2/all/0/segment', 'unknown_segment'])
  })

  test('is reported when it was retired', () => {
    given(byRule('a'), retired('a'))
      .when(byRule('b', { segment: 'a' }))
      .finds(['segment', 'unknown_segment'])
  })

  test('must not be the defined segment itself, new or live', () => {
    given()
      .when(byRule('a', { segment: 'a' }))
      .finds(['segment', 'cycle'])
    given(byRule('a'))
      .when(byRule('a', { not: { segment: 'a' } }))
      .finds(['not/segment', 'cycle'])
  })

  test('must not depend on the defined segment, directly or through others', () => {
    given(byRule('a'), byRule('b', { segment: 'a' }), byRule('c', { segment: 'b' }), byRule('d'))
      .when(byRule('a', others('d', 'c')))
      .finds(['all/1/segment', 'cycle'])
  })

  test('may be reached through several dependencies', () => {
    given(byRule('a'), byRule('b', { segment: 'a' }), byRule('c', { segment: 'a' }))
      .when(byRule('d', others('b', 'c', 'a')))
      .then({ version: 1 })
  })

  test('is not confused with a property of the same name', () => {
    const rule = { event: 'login', where: { '/segment': { eq: 'x' } } }
    given().when(byRule('a', rule)).then({ rule })
  })
})

describe('the precondition of the caller', () => {
  const before = [byRule('a'), byRule('a', buyers)]

  test('If-None-Match: * accepts a new or retired segment, and refuses a live one', () => {
    const anew = byRule('a', buyers, { precondition: { noneMatch: 'any' } })
    given().when(anew).then({ version: 1 })
    given(...before, retired('a'))
      .when(anew)
      .then({ version: 3 })
    given(...before)
      .when(anew)
      .refuses('precondition_failed')
  })

  test('If-Match accepts only the live version', () => {
    const over = (match: 'any' | readonly number[]) => byRule('a', {}, { precondition: { match } })
    given(...before)
      .when(over([2]))
      .then({ version: 3 })
    given(...before)
      .when(over([7, 2]))
      .then({ version: 3 })
    given(...before)
      .when(over('any'))
      .then({ version: 3 })
    given(...before)
      .when(over([1]))
      .refuses('precondition_failed')
    given().when(over('any')).refuses('precondition_failed')
    given(...before, retired('a'))
      .when(over([2]))
      .refuses('precondition_failed')
  })

  test('is checked first, even if the definition does not change', () => {
    given(byRule('a'))
      .when(byRule('a', undefined, { precondition: { match: [2] } }))
      .refuses('precondition_failed')
  })
})

describe('the limit of 200 segments', () => {
  const full = Array.from({ length: maxSegments }, (_, at) => byRule(`s${String(at)}`))

  test('refuses a further segment', () => {
    given(...full)
      .when(byRule('more'))
      .refuses('too_many_segments')
  })

  test('permits changes, and a new segment after another was retired', () => {
    given(...full)
      .when(byRule('s7', buyers))
      .then({ version: 2 })
    given(...full, retired('s7'))
      .when(byRule('more'))
      .then({ version: 1 })
  })
})
