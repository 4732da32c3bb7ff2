/** JSON as callers send it and facts keep it. `parseRule` has the limits that types cannot say. */
export type Rule =
  | { readonly all: readonly Rule[] }
  | { readonly any: readonly Rule[] }
  | { readonly not: Rule }
  | { readonly everyone: true }
  | { readonly segment: string }
  | { readonly created: InstantTest }
  | PropertyRule
  | CountRule
  | LastRule
  | BucketRule

export interface PropertyRule {
  readonly property: string
  readonly is: ValueTest | InstantTest
  /** How long the test has held without a break; only with a `ValueTest`. */
  readonly for?: string
}

/** How many events count: every one where neither a window nor instants bound them. */
export interface CountRule {
  readonly event: EventName
  readonly where?: Where
  /** Those no older than this duration. */
  readonly within?: string
  /** Those from this instant on. */
  readonly after?: string
  /** Those before this instant. */
  readonly before?: string
  /** At least one where nothing is said. */
  readonly count?: Count
}

export interface LastRule {
  readonly event: EventName
  readonly where?: Where
  readonly last: Where
}

/** A share of all entities, always the same ones. */
export interface BucketRule {
  readonly bucket: {
    readonly salt?: string
    /** In percent, 0 to 100. */
    readonly below: number
  }
}

export type EventName = string | { readonly starts_with: string }

/** Tests of an event's properties, by JSON Pointer: all must pass. */
export type Where = Readonly<Record<string, ValueTest>>

/**
 * All members must pass. A value that is not there fails all but `exists: false` and a failing
 * `not`.
 */
export interface ValueTest {
  readonly eq?: Scalar
  readonly in?: readonly Scalar[]
  readonly gt?: number
  readonly gte?: number
  readonly lt?: number
  readonly lte?: number
  readonly starts_with?: string
  readonly contains?: string
  /** The value is a list that has it. */
  readonly includes?: Scalar
  readonly exists?: boolean
  /** Passes just where this test, all of it, does not. */
  readonly not?: ValueTest
}

/** Strict, in milliseconds. */
export type InstantTest = { readonly before: Boundary } | { readonly after: Boundary }

/** A time (RFC 3339 with an offset, or a day: its midnight in UTC), or one that moves with log time. */
export type Boundary = string | { readonly ago: string } | { readonly ahead: string }

export type Count = { readonly gte: number } | { readonly lte: number } | { readonly eq: number }

export type Scalar = null | boolean | number | string
