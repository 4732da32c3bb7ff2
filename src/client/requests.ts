export interface CallOptions {
  /**
   * Aborts the call, which then rejects with the signal's reason. A write that was already sent may
   * be stored.
   */
  readonly signal?: AbortSignal | undefined
  /** The time limit of the call with all its retries, in milliseconds. Default: 30,000. */
  readonly timeoutMs?: number | undefined
  /** The maximum number of retries. By default, only the time limit ends the retries. */
  readonly maxRetries?: number | undefined
  /**
   * The request id: 1 to 128 characters of `A–Z a–z 0–9 . _ -`. The facts contain it. By default,
   * the service generates one.
   */
  readonly requestId?: string | undefined
}

export interface ReadOptions extends CallOptions {
  /**
   * The maximum time that the service may wait until it knows the Position, in seconds.
   * READ_WAIT_MS of the service is an upper limit.
   */
  readonly wait?: number | undefined
}

export interface WriteOptions extends CallOptions {
  /**
   * The idempotency key: 1 to 255 visible ASCII characters, the same for all retries. By default,
   * the client generates one.
   */
  readonly idempotencyKey?: string | undefined
}

/**
 * How the client retries a request without a final reply:
 *
 * - `read`: a read that carries the Position. It is retried.
 * - `unpositioned`: a read without a Position. It is retried.
 * - `keyed`: a write that is stored once, however often it is sent. It is retried.
 * - `once`: a write without an idempotency key. It is retried only while certainly nothing was
 *   stored.
 * - `probe`: asks for the state of the service. It is not retried, because a failure is an answer.
 *
 * @internal
 */
export type Kind = 'read' | 'unpositioned' | 'keyed' | 'once' | 'probe'

/** @internal */
export interface Request<Body = unknown> {
  readonly kind: Kind
  readonly method: 'DELETE' | 'GET' | 'PATCH' | 'POST' | 'PUT'
  /** The path after the address of the service, including the query. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string | undefined>>
  readonly body?: Body
  /** The body as JSON text. It replaces `body`. */
  readonly json?: string
  /** The status of an error reply that the caller handles like a successful reply. */
  readonly alsoAnswered?: number
}

/**
 * Builds a read that carries the Position.
 *
 * @internal
 */
export function reading({ wait }: ReadOptions, path: string): Request<undefined> {
  const prefer = wait === undefined ? undefined : `wait=${String(wait)}`
  return { kind: 'read', method: 'GET', path, headers: { prefer } }
}

/**
 * Builds a write that is stored once, however often it is sent.
 *
 * @internal
 */
export function keyed<Method extends 'DELETE' | 'PATCH' | 'POST' | 'PUT'>(
  { idempotencyKey = newKey() }: WriteOptions,
  method: Method,
  path: string,
) {
  return { kind: 'keyed', method, path, headers: { 'idempotency-key': idempotencyKey } } as const
}

/**
 * Returns 32 random hex digits. `crypto.randomUUID` is missing in pages that were not loaded over https.
 *
 * @internal
 */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/**
 * Returns `given` if it is an object. Otherwise throws a `TypeError` that shows `example`. Without
 * this check, a string would be spread into one member per letter, and the service would report a
 * fault for each letter.
 *
 * @internal
 */
export function objectIn<Given extends object>(given: Given, example: string): Given {
  const value: unknown = given
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return given
  throw new TypeError(`the second argument must be an object such as ${example}`)
}

/**
 * Encodes one segment of a path.
 *
 * @internal
 */
export function step(text: string): string {
  return encodeURIComponent(text)
}

/**
 * Appends a query to a path. Leaves out undefined members.
 *
 * @internal
 */
export function withQuery(
  path: string,
  query: Readonly<Record<string, string | number | undefined>>,
): string {
  const words = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) words.append(name, String(value))
  }
  const text = words.toString()
  return text === '' ? path : `${path}?${text}`
}
