import type {
  Clause,
  GroupRow,
  LeafRow,
  Match,
  Row,
  RuleRows,
  Span,
  Test,
  TestWord,
  TimeTest,
  TypedBoundary,
  TypedCount,
  TypedDuration,
  TypedName,
  TypedValue,
  Unit,
} from './rows.js'

/**
 * The rows of a rule, or the reason why rows cannot show it. `whyNot` completes the sentence "The builder cannot show
 * this rule: …".
 */
export type ShownRule = { readonly rows: RuleRows } | { readonly whyNot: string }

/** The names of the members that a rule and its parts may have. */
type Word =
  | ('all' | 'any' | 'not' | 'everyone' | 'segment' | 'created' | 'property' | 'is' | 'for')
  | ('event' | 'where' | 'last' | 'within' | 'after' | 'before' | 'count' | 'gte' | 'lte' | 'eq')
  | ('bucket' | 'salt' | 'below' | 'starts_with' | 'ago' | 'ahead')

type Members = Readonly<Partial<Record<Word, unknown>>>

const deepestRule = 8

/**
 * Returns the rows of a rule. `ruleOf` converts them back to the same rule. Refuses a rule that rows cannot show
 * completely.
 */
export function rowsOf(rule: unknown): ShownRule {
  try {
    return { rows: rootOf(rule) }
  } catch (error) {
    if (error instanceof NotShowable) return { whyNot: error.message }
    throw error
  }
}

class NotShowable extends Error {}

function rootOf(rule: unknown): RuleRows {
  const row = rowOf(rule, 1)
  if (row.kind !== 'group')
    return { group: { kind: 'group', match: 'all', rows: [row] }, isList: false }
  return { group: row, isList: row.match === 'all' && row.rows.length === 1 }
}

function rowOf(value: unknown, depth: number): Row {
  if (depth > deepestRule) throw new NotShowable('it is nested too deep.')
  const rule = membersOf(value)
  if (!('not' in rule)) return groupOf(rule, false, depth) ?? leafOf(rule, false)
  only(rule, 'not')
  const inner = membersOf(rule.not)
  if ('not' in inner) throw new NotShowable('it has a “not” directly inside a “not”.')
  return groupOf(inner, true, depth + 1) ?? leafOf(inner, true)
}

const matches: Readonly<Record<'all' | 'any', readonly [plain: Match, negated: Match]>> = {
  all: ['all', 'not all'],
  any: ['any', 'none'],
}

function groupOf(rule: Members, isNegated: boolean, depth: number): GroupRow | undefined {
  const word = 'all' in rule ? 'all' : 'any' in rule ? 'any' : undefined
  if (word === undefined) return undefined
  only(rule, word)
  const rules = listOf(rule[word])
  return {
    kind: 'group',
    match: matches[word][isNegated ? 1 : 0],
    rows: rules.map((one) => rowOf(one, depth + 1)),
  }
}

function leafOf(rule: Members, isNegated: boolean): LeafRow {
  if ('everyone' in rule) {
    only(rule, 'everyone')
    if (rule.everyone !== true) throw unfit()
    return { kind: 'everyone', isNegated }
  }
  if ('segment' in rule) {
    only(rule, 'segment')
    return { kind: 'segment', isNegated, segment: textOf(rule.segment) }
  }
  if ('created' in rule) {
    only(rule, 'created')
    return { kind: 'created', isNegated, test: timeTestOf(membersOf(rule.created)) }
  }
  if ('bucket' in rule) return shareOf(rule, isNegated)
  if ('property' in rule) return propertyOf(rule, isNegated)
  if ('last' in rule) return lastOf(rule, isNegated)
  return eventOf(rule, isNegated)
}

function shareOf(rule: Members, isNegated: boolean): LeafRow {
  only(rule, 'bucket')
  const { salt, below, ...rest } = membersOf(rule.bucket)
  only(rest)
  return {
    kind: 'share',
    isNegated,
    below: numberOf(below),
    salt: salt === undefined ? undefined : textOf(salt),
  }
}

function propertyOf(rule: Members, isNegated: boolean): LeafRow {
  only(rule, 'property', 'is', 'for')
  const pointer = pointerOf(rule.property)
  const is = membersOf(rule.is)
  if ('before' in is || 'after' in is) {
    if (rule.for !== undefined) throw unfit()
    return { kind: 'time', isNegated, pointer, test: timeTestOf(is) }
  }
  const held = rule.for === undefined ? undefined : durationOf(rule.for)
  return { kind: 'property', isNegated, pointer, tests: testsOf(is), held }
}

function lastOf(rule: Members, isNegated: boolean): LeafRow {
  only(rule, 'event', 'where', 'last')
  const { event, where, last } = rule
  return {
    kind: 'last',
    isNegated,
    event: nameOf(event),
    where: where === undefined ? [] : clausesOf(where),
    last: clausesOf(last),
  }
}

function eventOf(rule: Members, isNegated: boolean): LeafRow {
  only(rule, 'event', 'where', 'within', 'after', 'before', 'count')
  const { event, where, count } = rule
  return {
    kind: 'event',
    isNegated,
    event: nameOf(event),
    where: where === undefined ? [] : clausesOf(where),
    span: spanOf(rule),
    count: count === undefined ? undefined : countOf(count),
  }
}

function nameOf(value: unknown): TypedName {
  if (typeof value === 'string') return { text: value, isPrefix: false }
  const prefix = membersOf(value)
  only(prefix, 'starts_with')
  return { text: textOf(prefix.starts_with), isPrefix: true }
}

function spanOf({ within, after, before }: Members): Span {
  if (within !== undefined) {
    if (after !== undefined || before !== undefined) throw unfit()
    return { kind: 'within', duration: durationOf(within) }
  }
  if (after === undefined && before === undefined) return { kind: 'ever' }
  if (after === '' || before === '') throw unfit()
  return { kind: 'dates', after: textOf(after ?? ''), before: textOf(before ?? '') }
}

function countOf(value: unknown): TypedCount {
  const count = membersOf(value)
  for (const word of ['gte', 'lte', 'eq'] as const) {
    if (!(word in count)) continue
    only(count, word)
    return { word, number: numberOf(count[word]) }
  }
  throw unfit()
}

const durationForm = /^([1-9]\d{0,3})([mhdw])$/

function durationOf(value: unknown): TypedDuration {
  const [, number, unit] = durationForm.exec(textOf(value)) ?? []
  if (number === undefined || unit === undefined) throw unfit()
  return { number, unit: unit as Unit }
}

function timeTestOf(test: Members): TimeTest {
  const side = 'before' in test ? 'before' : 'after'
  only(test, side)
  return { side, boundary: boundaryOf(test[side]) }
}

function boundaryOf(value: unknown): TypedBoundary {
  if (typeof value === 'string') return { kind: 'at', at: value }
  const moving = membersOf(value)
  const kind = 'ago' in moving ? 'ago' : 'ahead'
  only(moving, kind)
  return { kind, duration: durationOf(moving[kind]) }
}

function clausesOf(value: unknown): readonly Clause[] {
  const clauses = Object.entries(membersOf(value)).flatMap(([pointer, tests]) =>
    testsOf(membersOf(tests)).map((test) => ({ pointer: pointerOf(pointer), ...test })),
  )
  return some(clauses)
}

function testsOf(tests: Members): readonly Test[] {
  return some(
    Object.entries(tests).map(([word, operand]) => {
      if (word !== 'not') return testOf(word, operand, false)
      const [one, another] = Object.entries(membersOf(operand))
      if (one === undefined || another !== undefined || one[0] === 'not') {
        throw new NotShowable('it has several tests inside one “not”.')
      }
      return testOf(one[0], one[1], true)
    }),
  )
}

const testWords: ReadonlySet<string> = new Set<TestWord>([
  ...(['eq', 'in', 'gt', 'gte', 'lt', 'lte', 'starts_with', 'contains', 'includes'] as const),
  'exists',
])

function testOf(word: string, operand: unknown, isNegated: boolean): Test {
  if (!testWords.has(word)) throw unfit()
  const values = word === 'in' ? some(listOf(operand)).map(valueOf) : [valueOf(operand)]
  if (word === 'exists' && values[0]?.type !== 'boolean') throw unfit()
  return { word: word as TestWord, isNegated, values }
}

function valueOf(value: unknown): TypedValue {
  if (value === null) return { type: 'null', text: '' }
  if (typeof value === 'boolean') return { type: 'boolean', text: String(value) }
  if (typeof value === 'number') return { type: 'number', text: String(value) }
  return { type: 'text', text: textOf(value) }
}

/** Throws for members with other names. */
function only(members: Members, ...names: readonly string[]): void {
  const other = Object.keys(members).find((name) => !names.includes(name))
  if (other !== undefined)
    throw new NotShowable(`it has “${other}” where the builder has no field.`)
}

function some<T>(list: readonly T[]): readonly T[] {
  if (list.length === 0) throw new NotShowable('it has an empty test.')
  return list
}

function membersOf(value: unknown): Members {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  throw unfit()
}

function listOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value as readonly unknown[]
  throw unfit()
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  throw unfit()
}

/** Returns a pointer. Throws for a name without a slash, because `ruleOf` would add a slash to it. */
function pointerOf(value: unknown): string {
  const pointer = textOf(value)
  if (pointer !== '' && !pointer.startsWith('/')) throw unfit()
  return pointer
}

function numberOf(value: unknown): string {
  if (typeof value === 'number') return String(value)
  throw unfit()
}

function unfit(): NotShowable {
  return new NotShowable('it is not a complete rule.')
}
