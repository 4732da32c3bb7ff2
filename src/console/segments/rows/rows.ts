// The rows of the rule builder. `rows-of.ts` converts a rule to rows, `rule-of.ts` converts rows to a rule, and
// `change-rows.ts` adds and removes rows. A row keeps numbers and durations as typed texts, so that an unfinished row
// can be shown. Only the service checks whether the rule is valid.

export type Match = 'all' | 'any' | 'none' | 'not all'

/** A group of rows: all of them, any of them, none, or not all of them must match. */
export interface GroupRow {
  readonly kind: 'group'
  readonly match: Match
  readonly rows: readonly Row[]
}

export interface RuleRows {
  readonly group: GroupRow
  /** Whether the rule contains `all` with a single row. Otherwise the rule is the row itself. */
  readonly isList: boolean
}

export type Row = GroupRow | LeafRow

export type LeafRow =
  | EventRow
  | LastRow
  | PropertyRow
  | TimeRow
  | CreatedRow
  | SegmentRow
  | ShareRow
  | EveryoneRow

/** A row that requires a number of events, or their absence. */
export interface EventRow {
  readonly kind: 'event'
  readonly isNegated: boolean
  readonly event: TypedName
  readonly where: readonly Clause[]
  readonly span: Span
  /** The required count. Undefined means at least once, and the rule does not contain the count. */
  readonly count: TypedCount | undefined
}

/** A row that tests the newest event of a name. */
export interface LastRow {
  readonly kind: 'last'
  readonly isNegated: boolean
  readonly event: TypedName
  readonly where: readonly Clause[]
  readonly last: readonly Clause[]
}

export interface PropertyRow {
  readonly kind: 'property'
  readonly isNegated: boolean
  readonly pointer: string
  readonly tests: readonly Test[]
  /** The period during which the tests must have passed without a break. */
  readonly held: TypedDuration | undefined
}

/** A row that compares a time, the value of a property, with a boundary. */
export interface TimeRow {
  readonly kind: 'time'
  readonly isNegated: boolean
  readonly pointer: string
  readonly test: TimeTest
}

export interface CreatedRow {
  readonly kind: 'created'
  readonly isNegated: boolean
  readonly test: TimeTest
}

export interface SegmentRow {
  readonly kind: 'segment'
  readonly isNegated: boolean
  readonly segment: string
}

/** A row for a fixed share of all entities, in percent. */
export interface ShareRow {
  readonly kind: 'share'
  readonly isNegated: boolean
  readonly below: string
  readonly salt: string | undefined
}

export interface EveryoneRow {
  readonly kind: 'everyone'
  readonly isNegated: boolean
}

export interface TypedName {
  readonly text: string
  /** Whether the text is only the beginning of the event name. */
  readonly isPrefix: boolean
}

export interface TypedCount {
  readonly word: 'gte' | 'lte' | 'eq'
  readonly number: string
}

export type Unit = 'm' | 'h' | 'd' | 'w'

export interface TypedDuration {
  readonly number: string
  readonly unit: Unit
}

/** The period in which an event must have occurred. */
export type Span =
  | { readonly kind: 'ever' }
  | { readonly kind: 'within'; readonly duration: TypedDuration }
  /** The period between two dates. An empty text leaves that side open. */
  | { readonly kind: 'dates'; readonly after: string; readonly before: string }

export interface TimeTest {
  readonly side: 'before' | 'after'
  readonly boundary: TypedBoundary
}

export type TypedBoundary =
  | { readonly kind: 'at'; readonly at: string }
  | { readonly kind: 'ago' | 'ahead'; readonly duration: TypedDuration }

export type TestWord =
  | 'eq'
  | 'in'
  | 'gt'
  | 'gte'
  | 'lt'
  | 'lte'
  | 'starts_with'
  | 'contains'
  | 'includes'
  | 'exists'

/** One test of a value. */
export interface Test {
  readonly word: TestWord
  readonly isNegated: boolean
  /** The values of the test. The word `in` takes any number of values, and every other word takes one. */
  readonly values: readonly TypedValue[]
}

/** A test of the property of an event. */
export interface Clause extends Test {
  readonly pointer: string
}

export interface TypedValue {
  readonly type: 'text' | 'number' | 'boolean' | 'null'
  readonly text: string
}
