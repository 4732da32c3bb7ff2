import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { v4 } from 'uuid'
import { requestIdFormat } from '../../../application/facts/metadata.js'
import { HttpFault } from '../errors/faults.js'
import type { ReadWant } from '../../../application/reading/want.js'

export const maxIdempotencyKeyLength = 255
export const idempotencyKeyFormat = /^[!-~]{1,255}$/

/** Returns the caller's Request-Id if it is well-formed. Otherwise returns a new id. */
export function requestIdOf(headers: IncomingHttpHeaders): string {
  const given = headers['request-id']
  return typeof given === 'string' && requestIdFormat.test(given) ? given : v4()
}

/**
 * Returns the Idempotency-Key, or undefined when there is none. Throws `malformed_request` unless it has 1–255
 * visible ASCII characters.
 */
export function idempotencyKeyOf(headers: IncomingHttpHeaders): string | undefined {
  const given = headers['idempotency-key']
  if (given === undefined) return undefined
  if (typeof given === 'string' && idempotencyKeyFormat.test(given)) return given
  const message =
    'The Idempotency-Key must have 1 to 255 visible ASCII characters, and be sent once.'
  throw new HttpFault('malformed_request', message)
}

/**
 * Returns the number of header lines with this name. `name` is in lower case. Reads the raw
 * headers, because Node keeps only the first line of some headers.
 */
export function countLines({ rawHeaders }: IncomingMessage, name: string): number {
  let lines = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const given = rawHeaders[at]
    if (given?.length === name.length && given.toLowerCase() === name) lines += 1
  }
  return lines
}

/** Returns whether the request has exactly one Host header. HTTP/1.0 requests may have none. */
function hasOneHost(request: IncomingMessage): boolean {
  const hosts = countLines(request, 'host')
  return hosts === 1 || (hosts === 0 && request.httpVersion === '1.0')
}

/**
 * Checks the request line and headers. Returns the fault of a request that this server refuses, or
 * undefined.
 */
export function headFault(request: IncomingMessage): HttpFault | undefined {
  const { httpVersion, headers } = request
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return broken('Use HTTP/1.1.')
  // Refuses all transfer codings except a final `chunked`, because Node decodes no other coding.
  const coding = headers['transfer-encoding']
  if (coding !== undefined && (httpVersion === '1.0' || coding.includes(','))) {
    return broken('Send "Transfer-Encoding: chunked" alone, over HTTP/1.1, or a Content-Length.')
  }
  if (!hasOneHost(request)) return broken('Send one Host header.')
  // Refuses a second Authorization header. Node would drop the second, but it may be the one that
  // the caller meant.
  if (countLines(request, 'authorization') > 1) return broken('Send one Authorization header.')
  // Refuses `#` in the URL. Node drops the text after it, so the reply would be about another
  // resource.
  return request.url?.includes('#') === true ? broken('Send "#" as "%23" in a URL.') : undefined
}

function broken(message: string): HttpFault {
  return new HttpFault('malformed_request', message)
}

export const positionFormat = /^[0-9]{1,20}$/

/**
 * Returns the position that a read must include, and the maximum time to wait for it. `readWaitMs`
 * is the upper limit, and the header Prefer can shorten the wait. Ignores other preferences (RFC
 * 7240). Throws `malformed_request` for a malformed Position.
 */
export function wantOf(headers: IncomingHttpHeaders, readWaitMs: number): ReadWant {
  const waitMs = Math.min(readWaitMs, preferredWaitMs(headers['prefer']))
  const given = headers['position']
  if (given === undefined) return { waitMs }
  if (typeof given === 'string' && positionFormat.test(given)) {
    return { position: positionOf(given), waitMs }
  }
  const message = 'The header Position must have 1 to 20 digits, and be sent once.'
  throw new HttpFault('malformed_request', message)
}

/**
 * Converts digits to a position. A number above `MAX_SAFE_INTEGER` becomes `MAX_SAFE_INTEGER`, a
 * position that no store reaches.
 */
export function positionOf(digits: string): number {
  return Math.min(Number(digits), Number.MAX_SAFE_INTEGER)
}

/**
 * Returns the wait that Prefer asks for, in milliseconds. If Prefer contains several waits, returns
 * the first. If it contains none, returns infinity.
 */
function preferredWaitMs(header: string | string[] | undefined): number {
  if (header === undefined) return Number.POSITIVE_INFINITY
  for (const preference of withoutQuotes([header].flat().join(',')).split(',')) {
    const [word = ''] = preference.split(';', 1)
    const [name = '', value = ''] = word.split('=').map((part) => part.trim())
    if (name.toLowerCase() !== 'wait') continue
    return /^[0-9]{1,9}$/.test(value) ? Number(value) * 1_000 : Number.POSITIVE_INFINITY
  }
  return Number.POSITIVE_INFINITY
}

/**
 * Removes the quotes around numbers. Replaces other quoted text by `?`, because quoted text can
 * contain separators.
 */
function withoutQuotes(text: string): string {
  const parts = text.split('"')
  return parts
    .map((part, index) => (index % 2 === 0 || /^[0-9]{1,9}$/.test(part) ? part : '?'))
    .join('')
}

/**
 * Returns whether the header Accept names this media type, in upper or lower case, and does not
 * refuse it with `q=0`.
 */
export function accepts({ accept = '' }: IncomingHttpHeaders, mediaType: string): boolean {
  return accept.split(',').some((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
    return type === mediaType && !parameters.some((part) => /^q=0(?:\.0{0,3})?$/.test(part))
  })
}
