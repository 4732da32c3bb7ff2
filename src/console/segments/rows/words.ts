import type { Match, Test, TestWord, TypedCount, TypedValue, Unit } from './rows.js'

/** The words that the builder shows for the choices in a row. */
export const matchWords: readonly (readonly [Match, string])[] = [
  ['all', 'all'],
  ['any', 'any'],
  ['none', 'none'],
  ['not all', 'not all'],
]

export const unitWords: readonly (readonly [Unit, string])[] = [
  ['m', 'minutes'],
  ['h', 'hours'],
  ['d', 'days'],
  ['w', 'weeks'],
]

export const countWords: readonly (readonly [TypedCount['word'], string])[] = [
  ['gte', 'at least'],
  ['lte', 'at most'],
  ['eq', 'exactly'],
]

/** The choices for the word of a test. `missing` means `exists` with the value false. */
export type TestChoice = TestWord | 'missing' | `not ${TestWord}` | 'not missing'

export const testChoices: readonly (readonly [TestChoice, string])[] = [
  ['eq', 'is'],
  ['not eq', 'is not'],
  ['in', 'is one of'],
  ['not in', 'is none of'],
  ['gt', 'is over'],
  ['gte', 'is at least'],
  ['lt', 'is under'],
  ['lte', 'is at most'],
  ['starts_with', 'begins with'],
  ['not starts_with', 'does not begin with'],
  ['contains', 'contains'],
  ['not contains', 'does not contain'],
  ['includes', 'is a list with'],
  ['not includes', 'is no list with'],
  ['exists', 'is known'],
  ['missing', 'is not known'],
]

/**
 * Choices that are shown only for rules that already contain them. For known values, the plain choices mean the same.
 */
export const rareTestChoices: readonly (readonly [TestChoice, string])[] = [
  ['not gt', 'is not over'],
  ['not gte', 'is not at least'],
  ['not lt', 'is not under'],
  ['not lte', 'is not at most'],
  ['not exists', 'is not known'],
  ['not missing', 'is known'],
]

export function choiceOf({ word, isNegated, values }: Test): TestChoice {
  const plain = word === 'exists' && values[0]?.text === 'false' ? 'missing' : word
  return isNegated ? `not ${plain}` : plain
}

/** Returns the test of a choice. Keeps the values that fit the new test. */
export function chosenTest(test: Test, choice: TestChoice): Test {
  const isNegated = choice.startsWith('not ')
  const plain = (isNegated ? choice.slice(4) : choice) as TestWord | 'missing'
  if (plain === 'missing' || plain === 'exists') {
    const text = String(plain === 'exists')
    return { ...test, word: 'exists', isNegated, values: [{ type: 'boolean', text }] }
  }
  const kept = test.word === 'exists' ? [] : test.values
  const [first = emptyValue, ...rest] = kept
  return { ...test, word: plain, isNegated, values: plain === 'in' ? [first, ...rest] : [first] }
}

export const emptyValue: TypedValue = { type: 'text', text: '' }
