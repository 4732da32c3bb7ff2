import { describe, expect, it } from '@jest/globals'
import type { Segment } from '../../src/client/dossier.js'
import { vocabularyOf } from '../../src/console/segments/builder/vocabulary-of.js'
import { draftLike, draftOf, isChanged } from '../../src/console/segments/draft/draft.js'
import { keyFor } from '../../src/console/parts/key-for.js'
import {
  hasRepeatedTest,
  newClause,
  newEventRow,
  newPropertyRow,
  possibleTypes,
  typedValue,
} from '../../src/console/segments/rows/change-rows.js'
import type { Test } from '../../src/console/segments/rows/rows.js'
import {
  choiceOf,
  chosenTest,
  rareTestChoices,
  testChoices,
} from '../../src/console/segments/rows/words.js'
import { isSegmentKey } from '../../src/domain/segments/segment-facts.js'

describe('a typed value', () => {
  it.each([
    ['paid', 'eq', undefined, 'text'],
    ['3', 'eq', undefined, 'number'],
    ['3', 'eq', 'text', 'text'],
    ['-2.5e3', 'in', undefined, 'number'],
    ['03', 'eq', undefined, 'text'],
    ['true', 'eq', undefined, 'boolean'],
    ['true', 'eq', 'text', 'text'],
    ['', 'gt', undefined, 'number'],
    ['3', 'contains', 'number', 'text'],
    ['1.', 'eq', 'number', 'number'],
  ] as const)('%j after %s, where values were %s, is a %s', (text, word, known, type) => {
    expect(typedValue(text, word, known)).toEqual({ type, text })
  })

  it('has several types to choose from only where the text may have them', () => {
    expect(possibleTypes({ type: 'text', text: 'paid' }, 'eq')).toEqual(['text'])
    expect(possibleTypes({ type: 'number', text: '3' }, 'eq')).toEqual(['number', 'text'])
    expect(possibleTypes({ type: 'number', text: '3' }, 'gte')).toEqual(['number'])
    expect(possibleTypes({ type: 'null', text: '' }, 'eq')).toContain('text')
  })
})

describe('the word of a test', () => {
  const value = { type: 'text', text: 'x' } as const

  it('is the one that was chosen, for every choice', () => {
    const plain: Test = { word: 'eq', isNegated: false, values: [value] }
    for (const [choice] of [...testChoices, ...rareTestChoices])
      expect(choiceOf(chosenTest(plain, choice))).toBe(choice)
  })

  it('keeps the values that fit the next word', () => {
    const list: Test = { word: 'in', isNegated: true, values: [value, { type: 'text', text: 'y' }] }
    expect(chosenTest(list, 'eq').values).toEqual([value])
    expect(chosenTest(list, 'in').values).toHaveLength(2)
    expect(chosenTest(chosenTest(list, 'missing'), 'eq').values).toEqual([
      { type: 'text', text: '' },
    ])
  })
})

describe('two tests of one value', () => {
  const clause = newClause('/total')

  it('are refused where the rule has one place for both', () => {
    const row = newEventRow('buy')
    const not = { ...clause, isNegated: true }
    expect(hasRepeatedTest({ ...row, where: [clause, { ...clause, pointer: 'total' }] })).toBe(true)
    expect(hasRepeatedTest({ ...row, where: [clause, { ...clause, pointer: '/items' }] })).toBe(
      false,
    )
    expect(hasRepeatedTest({ ...row, where: [clause, not] })).toBe(false)
    expect(hasRepeatedTest({ ...row, where: [not, { ...not, word: 'gt' }] })).toBe(true)
    const group = { kind: 'group', match: 'any', rows: [newPropertyRow('/n')] } as const
    expect(hasRepeatedTest(group)).toBe(false)
  })
})

describe('the names that the builder offers', () => {
  const total = { pointer: '/total', types: { number: 3, null: 1 }, count: 4 }
  const code = { pointer: '/code', types: { string: 2, number: 2 }, count: 4 }
  const address = { pointer: '/address', types: { object: 4 }, count: 4 }
  const event = {
    name: 'buy',
    count: 1_234,
    first_day: '',
    last_day: '',
    properties: [total, code],
  }
  const vocabulary = vocabularyOf(
    {
      events: [event, { ...event, name: 'buy again', count: 2 }],
      properties: [{ ...code, pointer: '/address/city' }, address],
    },
    [],
  )

  it('have their counts, and properties with values that a test can pass', () => {
    expect(vocabulary.events[0]).toEqual({ value: 'buy', words: 'buy · 1\u202f234' })
    expect(vocabulary.properties).toEqual([{ value: '/address/city', words: 'address.city · 4' }])
  })

  it('are those of the event, or of all events whose names begin so', () => {
    const ofName = (text: string, isPrefix: boolean) =>
      vocabulary.propertiesOf({ text, isPrefix }).map(({ value }) => value)
    expect(ofName('buy', false)).toEqual(['/total', '/code'])
    expect(ofName('bu', true)).toEqual(['/total', '/code'])
    expect(ofName('bu', false)).toEqual([])
  })

  it('have a type only where all values have it', () => {
    const buy = { text: 'buy', isPrefix: false }
    expect(vocabulary.typeOf('/total', buy)).toBe('number')
    expect(vocabulary.typeOf('/code', buy)).toBe(undefined)
    expect(vocabulary.typeOf('/none', buy)).toBe(undefined)
  })
})

describe('the key that a title suggests', () => {
  it.each([
    ['Win back', 'win-back'],
    ['  Düne & Söhne  ', 'du-ne-so-hne'],
    ['x'.repeat(80), 'x'.repeat(64)],
  ])('of %j is %j', (title, key) => {
    expect(keyFor(title)).toBe(key)
    expect(isSegmentKey(key)).toBe(true)
  })
})

describe('a draft', () => {
  const segment: Segment = {
    key: 'buyers',
    version: 1,
    title: 'Buyers',
    kind: 'rule',
    rule: { event: 'buy' },
    status: 'live',
    serving_version: 1,
    progress: null,
    members: 1,
    digest: null,
    defined_at: '2026-11-20T09:30:00.000Z',
  }

  it('is changed by another title or another rule, and not by another view of its rule', () => {
    const draft = draftOf(segment)
    expect(isChanged(draft, segment)).toBe(false)
    expect(isChanged({ ...draft, title: 'x' }, segment)).toBe(true)
    const json = (text: string) => ({ ...draft, rule: { view: 'json', text } as const })
    expect(isChanged(json('{ "event":\n"buy" }'), segment)).toBe(false)
    expect(isChanged(json('{"event":"login"}'), segment)).toBe(true)
    expect(isChanged(json('{"event":'), segment)).toBe(true)
  })

  it('begins with the template, the event or the property of its address', () => {
    expect(draftLike({ like: 'win-back' })).toMatchObject({ key: 'win-back', sum: '' })
    expect(draftLike({ event: 'buy' }).rule).toMatchObject({
      rows: { group: { rows: [{ kind: 'event', event: { text: 'buy' } }] } },
    })
    expect(draftLike({ property: '/plan' }).rule).toMatchObject({
      rows: { group: { rows: [{ kind: 'property', pointer: '/plan' }] } },
    })
    expect(draftLike({ like: 'no-such-template' })).toEqual(draftLike({}))
  })
})
