/** What every fact has: something that happened, in the past tense, and never changes. */
export interface AnyFact {
  /** UUID. */
  readonly id: string
  readonly type: string
  readonly data: object
}

/** What a decision assumes of its stream; the store checks it in the same step as the write. */
export type Expected = 'new' | 'existing'

/** Facts to write to one stream, and what must be true of that stream for them to hold. */
export interface Decision<F extends AnyFact> {
  readonly stream: string
  readonly expected: Expected
  readonly facts: readonly [F]
}
