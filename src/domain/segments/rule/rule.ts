// Rules: this folder turns JSON into compiled rules.
// - In: JSON, which `parse-rule.ts` checks against the forms in `object-forms.ts`.
// - Out: `compiled-rule.ts` turns a rule into nodes, and into conditions that rules share (`matcher.ts`).
/** The rule of a segment, as JSON. `parseRule` checks the limits that these types cannot express. */
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
  /** The duration for which the test must have passed without interruption. Only a `ValueTest` may have it. */
  readonly for?: string
}

/** A condition on the number of matching events. Without `within`, `after` and `before`, all events count. */
export interface CountRule {
  readonly event: EventName
  readonly where?: Where
  /** A counted event must be younger than this duration. */
  readonly within?: string
  /** The first instant at which a counted event may have occurred. */
  readonly after?: string
  /** The instant before which a counted event must have occurred. */
  readonly before?: string
  /** The required number of events. The default is at least 1. */
  readonly count?: Count
}

export interface LastRule {
  readonly event: EventName
  readonly where?: Where
  readonly last: Where
}

/** A fixed pseudo-random share of all entities. */
export interface BucketRule {
  readonly bucket: {
    readonly salt?: string
    /** The share in percent, from 0 to 100. */
    readonly below: number
  }
}

export type EventName = string | { readonly starts_with: string }

/** Tests of an event's properties, by JSON Pointer. All of them must pass. */
export type Where = Readonly<Record<string, ValueTest>>

/**
 * A test of a value. All of its members must pass. A missing value fails every test, except `exists: false`
 * and a `not` whose test fails.
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
  /** The value must be a list that contains this item. */
  readonly includes?: Scalar
  readonly exists?: boolean
  /** Passes exactly when the given test fails. */
  readonly not?: ValueTest
}

/** A test of an instant. It compares milliseconds. An instant that equals the boundary fails. */
export type InstantTest = { readonly before: Boundary } | { readonly after: Boundary }

/** A boundary: a time of RFC 3339 with an offset, a day (which means midnight in UTC), or a distance from log time. */
export type Boundary = string | { readonly ago: string } | { readonly ahead: string }

export type Count = { readonly gte: number } | { readonly lte: number } | { readonly eq: number }

export type Scalar = null | boolean | number | string
