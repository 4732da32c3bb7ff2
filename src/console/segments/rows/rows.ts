// The rows of the rule builder. `rows-of.ts` makes them of a rule, `rule-of.ts` makes a rule of them, and
// `change-rows.ts` adds and removes them. A row keeps numbers and durations as typed texts, so that an
// unfinished row can be shown. The service says whether the rule of the rows is valid.

export type Match = 'all' | 'any' | 'none' | 'not all'

/** Rows under one heading: all of them, any, none, or not all of them must match. */
export interface GroupRow {
  readonly kind: 'group'
  readonly match: Match
  readonly rows: readonly Row[]
}

export interface RuleRows {
  readonly group: GroupRow
  /** Whether the rule writes `all` around a single row. Without it the rule is the row itself. */
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

/** The entity recorded an event some times, or did not. */
export interface EventRow {
  readonly kind: 'event'
  readonly isNegated: boolean
  readonly event: TypedName
  readonly where: readonly Clause[]
  readonly span: Span
  /** Undefined: at least once, and the rule does not write it. */
  readonly count: TypedCount | undefined
}

/** The newest event of a name passes tests. */
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
  /** For how long the tests must have passed without a break. */
  readonly held: TypedDuration | undefined
}

/** A property is a time before or after a boundary. */
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

/** A fixed share of all entities, in percent. */
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
  /** Whether the text is only the beginning of the name. */
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

/** When an event must have occurred. */
export type Span =
  | { readonly kind: 'ever' }
  | { readonly kind: 'within'; readonly duration: TypedDuration }
  /** An empty text leaves the side open. */
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
  /** `in` has any number of values, and every other word has one. */
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
