export interface CallOptions {
  /** Ends the call, which rejects with the signal's reason. What it was sending may be stored. */
  readonly signal?: AbortSignal | undefined
  /** How long the call may take with all its repeats; 30,000 if nothing is said. */
  readonly timeoutMs?: number | undefined
  /** How often it is sent again at most; as often as there is time for if nothing is said. */
  readonly maxRetries?: number | undefined
  /** 1–128 of `A–Z a–z 0–9 . _ -`: kept with the facts. The service makes one if there is none. */
  readonly requestId?: string | undefined
}

export interface ReadOptions extends CallOptions {
  /** How many seconds the service may wait for the Position; it never waits longer than its READ_WAIT_MS. */
  readonly wait?: number | undefined
}

export interface WriteOptions extends CallOptions {
  /** 1–255 visible ASCII characters. The client makes one if there is none, and keeps it over its repeats. */
  readonly idempotencyKey?: string | undefined
}

/**
 * What may be done with a request that was not answered for good. `read`: nothing is stored by it, it
 * carries the Position and is repeated. `unpositioned`: a read that takes no Position; it is repeated too.
 * `keyed`: a write that is stored once however often it is sent. `once`: a write without a key, repeated
 * only while it is certain that nothing was stored. `probe`: asks how the service is, so the first answer
 * counts.
 */
export type Kind = 'read' | 'unpositioned' | 'keyed' | 'once' | 'probe'

export interface Request<Body = unknown> {
  readonly kind: Kind
  readonly method: 'DELETE' | 'GET' | 'PATCH' | 'POST' | 'PUT'
  /** From the service's address on, with its query. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string | undefined>>
  readonly body?: Body
  /** The body, where it is JSON already. */
  readonly json?: string
  /** A status, beside those of success, whose reply the caller looks at. */
  readonly alsoAnswered?: number
}

/** A read of this path, which carries the Position. */
export function reading({ wait }: ReadOptions, path: string): Request<undefined> {
  const prefer = wait === undefined ? undefined : `wait=${String(wait)}`
  return { kind: 'read', method: 'GET', path, headers: { prefer } }
}

/** A write that is stored once however often it is sent. */
export function keyed<Method extends 'DELETE' | 'PATCH' | 'POST' | 'PUT'>(
  { idempotencyKey = newKey() }: WriteOptions,
  method: Method,
  path: string,
) {
  return { kind: 'keyed', method, path, headers: { 'idempotency-key': idempotencyKey } } as const
}

/** Random, 32 hex digits. `crypto.randomUUID` is missing in pages that were not loaded over https. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** One step of a path. */
export function step(text: string): string {
  return encodeURIComponent(text)
}

/** Members that are undefined are left out. */
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
