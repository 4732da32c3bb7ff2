// Rules: JSON in, compiled rule out.
// - In: JSON, which `parse-rule.ts` checks against the forms in `object-forms.ts`.
// - Out: `compiled-rule.ts` turns a rule into nodes, and into conditions that rules share (`matcher.ts`).
/**
 * A segment's rule, as JSON in requests and facts. `parseRule` checks the limits that the types cannot
 * express.
 */
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
  /**
   * The duration for which the test must have passed without interruption. Permitted with a `ValueTest` only.
   */
  readonly for?: string
}

/** A condition on the number of matching events. Without `within`, `after` and `before`, all events count. */
export interface CountRule {
  readonly event: EventName
  readonly where?: Where
  /** Counts events that are younger than this duration. */
  readonly within?: string
  /** Counts events from this instant on. */
  readonly after?: string
  /** Counts events before this instant. */
  readonly before?: string
  /** Default: at least 1. */
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
    /** Percent, 0 to 100. */
    readonly below: number
  }
}

export type EventName = string | { readonly starts_with: string }

/** Tests of an event's properties by JSON Pointer. All must pass. */
export type Where = Readonly<Record<string, ValueTest>>

/**
 * All members must pass. A missing value fails every test except `exists: false` and a `not` whose test
 * fails.
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
  /** The value is a list with this item. */
  readonly includes?: Scalar
  readonly exists?: boolean
  /** Passes exactly when this whole test fails. */
  readonly not?: ValueTest
}

/** Compares milliseconds. An instant at the boundary fails. */
export type InstantTest = { readonly before: Boundary } | { readonly after: Boundary }

/** A time (RFC 3339 with an offset, or a day, which means midnight UTC), or a distance from log time. */
export type Boundary = string | { readonly ago: string } | { readonly ahead: string }

export type Count = { readonly gte: number } | { readonly lte: number } | { readonly eq: number }

export type Scalar = null | boolean | number | string
