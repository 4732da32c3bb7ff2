import type { BodyOf, DataOf, WithData } from './operations.js'
import { DossierError, faultOf, parsed } from './errors.js'
import type { HighestPosition } from './position.js'
import { noteReply } from './reply.js'
import type { CallOptions, Kind, Request } from './requests.js'
import { pause, pauseAfter } from './waiting.js'

export interface Answer {
  readonly response: Response
  readonly text: string
  /** The parsed JSON. Undefined for other text. */
  readonly body: unknown
}

export interface TransportParts {
  readonly origin: string
  readonly key: string
  readonly position: HighestPosition
  readonly timeoutMs: number
  readonly fetch: typeof globalThis.fetch
  /**
   * Called before each retry of a request or of a part of a batch, with the error and the pause.
   */
  readonly onRetry: (error: DossierError, pauseMs: number) => void
}

/**
 * The time limit of one attempt, in milliseconds. If a server hangs, a retry over a new connection
 * may reach another server.
 */
const attemptMs = 15_000

/** Node's error codes of requests that were never sent. Browsers do not report such codes. */
const neverSent = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN'])

/** Sends requests with the Position, and retries them until there is a final reply. */
export class Transport {
  constructor(private readonly parts: TransportParts) {}

  get timeoutMs(): number {
    return this.parts.timeoutMs
  }

  get position(): HighestPosition {
    return this.parts.position
  }

  retries(error: DossierError, pauseMs: number): void {
    this.parts.onRetry(error, pauseMs)
  }

  /**
   * Returns the data of the reply. Throws `DossierError`, or the signal's reason when the signal is
   * aborted.
   */
  async send<Name extends WithData>(
    request: Request<BodyOf<Name>>,
    options: CallOptions = {},
  ): Promise<DataOf<Name>> {
    const { era } = this.position
    const { response, body } = await this.answer(request, options)
    if (!hasData(body)) throw faultOf(response, body, isWrite(request.kind))
    noteReply(body.data, response)
    if (request.kind !== 'probe') this.position.note(response.headers.get('position'), era)
    // The cast is safe, because the service guarantees the schema of its replies. A test compares
    // the types with the service's OpenAPI document.
    return body.data as DataOf<Name>
  }

  /** Returns the first successful reply. Throws the same errors as `send`. */
  async answer(request: Request, options: CallOptions = {}): Promise<Answer> {
    const { signal, timeoutMs = this.timeoutMs, maxRetries = Infinity, requestId } = options
    const endsAt = performance.now() + timeoutMs
    let stored: 'no' | 'unknown' = 'no'
    for (let attempt = 0; ; attempt += 1) {
      const leftMs = Math.max(0, Math.min(attemptMs, endsAt - performance.now()))
      const answer = await this.sendOnce(request, leftMs, requestId, signal)
      if (!(answer instanceof DossierError)) return answer
      const error = answer.after(stored)
      stored = error.stored
      const pauseMs = pauseAfter(attempt, error.retryAfterMs)
      const isLast = attempt >= maxRetries || performance.now() + pauseMs >= endsAt
      if (isLast || !mayRepeat(request.kind, error)) throw error
      this.retries(error, pauseMs)
      await pause(pauseMs, signal)
      // On a busy machine, a pause can take longer than the time that is left.
      if (performance.now() >= endsAt) throw error
    }
  }

  /** Sends a request once and returns the response with its body unread. Throws `DossierError`. */
  async open(request: Request, signal: AbortSignal, requestId?: string): Promise<Response> {
    const response = await this.fetch(request, signal, requestId).catch((error: unknown) => {
      throw noReply(error, request.kind)
    })
    if (response.ok) return response
    const text = await response.text().catch(() => '')
    throw faultOf(response, parsed(text), isWrite(request.kind))
  }

  private async sendOnce(
    request: Request,
    timeoutMs: number,
    requestId: string | undefined,
    signal: AbortSignal | undefined,
  ): Promise<Answer | DossierError> {
    signal?.throwIfAborted()
    const controller = new AbortController()
    const stop = () => {
      controller.abort(signal?.reason)
    }
    signal?.addEventListener('abort', stop)
    const timer = setTimeout(() => {
      controller.abort(new Error(`no reply within ${String(Math.round(timeoutMs))} ms`))
    }, timeoutMs)
    try {
      const response = await this.fetch(request, controller.signal, requestId)
      const text = await response.text()
      const body = parsed(text)
      if (body === undefined && isCut(response, text)) throw new Error('the reply is cut short')
      if (response.ok || response.status === request.alsoAnswered) return { response, text, body }
      return faultOf(response, body, isWrite(request.kind))
    } catch (error) {
      signal?.throwIfAborted()
      return noReply(error, request.kind)
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', stop)
    }
  }

  private fetch(
    { kind, method, path, headers = {}, body, json }: Request,
    signal: AbortSignal,
    requestId: string | undefined,
  ): Promise<Response> {
    const { origin, key, position } = this.parts
    const sent = json ?? (body === undefined ? undefined : JSON.stringify(body))
    const all: Record<string, string | undefined> = {
      authorization: `Bearer ${key}`,
      'content-type': sent === undefined ? undefined : 'application/json',
      position: kind === 'read' ? position.value : undefined,
      'request-id': requestId,
      ...headers,
    }
    return this.parts.fetch(origin + path, {
      method,
      headers: Object.entries(all).flatMap(([name, value]): [string, string][] =>
        value === undefined ? [] : [[name, value]],
      ),
      // A redirect could lead to another service, and would turn a POST into a GET.
      redirect: 'manual',
      signal,
      ...(sent === undefined ? {} : { body: sent }),
    })
  }
}

/**
 * Returns whether a reply without valid JSON was truncated: its type is JSON, and its text does not
 * have the declared length. A browser does not report a broken connection. If the connection broke
 * inside the headers, the type itself can be truncated.
 */
function isCut({ headers }: Response, text: string): boolean {
  const [type = ''] = (headers.get('content-type') ?? '').split(';')
  const isComplete = Number(headers.get('content-length') ?? Number.NaN) === text.length
  return 'application/json'.startsWith(type.trim().toLowerCase()) && !isComplete
}

function isWrite(kind: Kind): boolean {
  return kind === 'keyed' || kind === 'once'
}

function mayRepeat(kind: Kind, error: DossierError): boolean {
  if (!error.isPassing || kind === 'probe') return false
  return kind !== 'once' || error.stored === 'no'
}

function hasData(body: unknown): body is { readonly data: object } {
  if (typeof body !== 'object' || body === null || !('data' in body)) return false
  return typeof body.data === 'object' && body.data !== null
}

function noReply(cause: unknown, kind: Kind): DossierError {
  const left = isWrite(kind) && !neverSent.has(reasonOf(cause).code)
  const message = `The service did not answer: ${reasonOf(cause).text}.`
  return new DossierError({ code: 'no_reply', message, stored: left ? 'unknown' : 'no', cause })
}

/**
 * Returns the innermost cause of an error of `fetch`, because the error's own message is not
 * specific.
 */
function reasonOf(error: unknown): { readonly text: string; readonly code: string } {
  if (typeof error !== 'object' || error === null) return { text: String(error), code: '' }
  if ('cause' in error && error.cause !== undefined) return reasonOf(error.cause)
  const code = 'code' in error ? String(error.code) : ''
  const text = 'message' in error ? String(error.message) : ''
  return { text: text === '' ? code : text, code }
}
