import type { Endpoint } from './body-verdict.js'

interface ExpectedFault {
  readonly kind: 'fault'
  readonly status: number
  readonly codes: readonly string[]
  /** The details that the fault must list, each as `PATH CODE`. Undefined: details are not checked. */
  readonly details?: ReadonlySet<string>
  readonly headers?: Readonly<Record<string, string>>
}

/** A valid write. Its outcome depends on the stored facts. */
interface ExpectedWrite {
  readonly kind: 'write'
  readonly endpoint: Endpoint
  readonly fields: Readonly<Record<string, unknown>>
  readonly key: string | undefined
}

/** The expected outcome of a request, independent of earlier requests. */
export type Expectation =
  | ExpectedFault
  | ExpectedWrite
  /** A batch. Each item has its own expected outcome. */
  | { readonly kind: 'batch'; readonly items: readonly (ExpectedFault | ExpectedWrite)[] }
  | { readonly kind: 'read' }
  /** A request that the parser may refuse: a 4xx status, and the end of the connection. */
  | { readonly kind: 'wreck' }
  /** Any outcome except an internal error. */
  | { readonly kind: 'any' }

export interface SentRequest {
  /** The kind of test, for the counts in the report. */
  readonly kind: string
  readonly bytes: Buffer
  readonly method: string
  readonly expectation: Expectation
  /** The Request-Id that the reply must have. Undefined: a new one. */
  readonly requestId: string | undefined
  /** Whether `100 Continue` may precede the reply. */
  readonly mayContinue: boolean
  /** Whether the connection must end after the reply. */
  readonly last: boolean
}
