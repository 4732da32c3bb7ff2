import type { Endpoint } from './body-verdict.js'

interface ExpectedFault {
  readonly kind: 'fault'
  readonly status: number
  readonly codes: readonly string[]
  /** Each `PATH CODE` that must be listed; not looked at when undefined. */
  readonly details?: ReadonlySet<string>
  readonly headers?: Readonly<Record<string, string>>
}

/** Keeps every rule: what comes of it depends on what is stored. */
interface ExpectedWrite {
  readonly kind: 'write'
  readonly endpoint: Endpoint
  readonly fields: Readonly<Record<string, unknown>>
  readonly key: string | undefined
}

/** What a request must be answered with, whatever was sent before it. */
export type Expectation =
  | ExpectedFault
  | ExpectedWrite
  /** A batch: each of its items must be answered so. */
  | { readonly kind: 'batch'; readonly items: readonly (ExpectedFault | ExpectedWrite)[] }
  | { readonly kind: 'read' }
  /** What the parser may refuse: a 4xx and the end of the connection. */
  | { readonly kind: 'wreck' }
  /** Anything but a mistake of ours. */
  | { readonly kind: 'any' }

export interface SentRequest {
  /** What is tried, for the counts. */
  readonly kind: string
  readonly bytes: Buffer
  readonly method: string
  readonly expectation: Expectation
  /** The Request-Id that must come back; undefined when a new one must be made. */
  readonly requestId: string | undefined
  /** Whether `100 Continue` may come first. */
  readonly mayContinue: boolean
  /** Whether the connection ends after the answer. */
  readonly last: boolean
}
