import type { Clause, EventRow, LeafRow, Row, TestWord, TypedDuration, TypedValue } from './rows.js'
import { haveOnePlace } from './rule-of.js'
import { emptyValue } from './words.js'

export const month: TypedDuration = { number: '30', unit: 'd' }

export function newEventRow(name: string): EventRow {
  return {
    kind: 'event',
    isNegated: false,
    event: { text: name, isPrefix: false },
    where: [],
    span: { kind: 'within', duration: month },
    count: undefined,
  }
}

/** Returns a new row about a property. `type` is the type of the recorded values of the property. */
export function newPropertyRow(pointer: string, type: TypedValue['type'] = 'text'): LeafRow {
  const tests = [{ word: 'eq', isNegated: false, values: [emptyOf(type)] }] as const
  return { kind: 'property', isNegated: false, pointer, tests, held: undefined }
}

export function newClause(pointer: string, type: TypedValue['type'] = 'text'): Clause {
  return { pointer, word: 'eq', isNegated: false, values: [emptyOf(type)] }
}

/** Returns an empty value of a type. */
export function emptyOf(type: TypedValue['type']): TypedValue {
  return type === 'boolean' ? { type, text: 'true' } : { ...emptyValue, type }
}

const numberWords: ReadonlySet<TestWord> = new Set<TestWord>(['gt', 'gte', 'lt', 'lte'])
const textWords: ReadonlySet<TestWord> = new Set<TestWord>(['starts_with', 'contains'])
const numberForm = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?$/i

/**
 * Converts a typed text to a value. A comparison takes numbers, and `begins with` takes texts. For any other test,
 * `known` decides: the type of the recorded values of the property. If `known` is undefined, the form of the text
 * decides.
 */
export function typedValue(text: string, word: TestWord, known?: TypedValue['type']): TypedValue {
  if (numberWords.has(word)) return { type: 'number', text }
  if (textWords.has(word) || known === 'text') return { type: 'text', text }
  if (known === 'number' || numberForm.test(text)) return { type: 'number', text }
  return text === 'true' || text === 'false' ? { type: 'boolean', text } : { type: 'text', text }
}

/** Returns the types that a text can have. The user has a choice only if there are several. */
export function possibleTypes(
  { type, text }: TypedValue,
  word: TestWord,
): readonly TypedValue['type'][] {
  if (numberWords.has(word)) return ['number']
  if (textWords.has(word)) return ['text']
  const types = new Set<TypedValue['type']>([type, 'text'])
  if (numberForm.test(text)) types.add('number')
  if (text === 'true' || text === 'false') types.add('boolean')
  if (text === '' || text === 'null') types.add('null')
  return [...types]
}

export function replaced<T>(list: readonly T[], at: number, item: T): readonly T[] {
  return list.map((one, index) => (index === at ? item : one))
}

export function without<T>(list: readonly T[], at: number): readonly T[] {
  return list.filter((_, index) => index !== at)
}

/** Returns whether a row asks for two tests of which the rule can hold only one. */
export function hasRepeatedTest(row: Row): boolean {
  if (row.kind === 'group') return row.rows.some(hasRepeatedTest)
  if (row.kind === 'property') return hasPair(row.tests)
  if (row.kind === 'last') return hasPair(row.where) || hasPair(row.last)
  return row.kind === 'event' && hasPair(row.where)
}

function hasPair(tests: LeafTests): boolean {
  return tests.some((one, at) => tests.slice(at + 1).some((other) => haveOnePlace(one, other)))
}

type LeafTests = Extract<LeafRow, { kind: 'property' }>['tests'] | readonly Clause[]
