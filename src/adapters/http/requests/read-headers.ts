import type { IncomingHttpHeaders } from 'node:http'
import type { ReadWant } from '../../../application/reading/want.js'
import { HttpFault } from '../errors/faults.js'

export const positionFormat = /^[0-9]{1,20}$/

/**
 * What a read wants of its answer, by its headers. `readWaitMs`: how long it may wait, which it can
 * lower. Throws `malformed_request` when the Position has not its form; a Prefer that has none of ours is
 * ignored, as RFC 7240 says.
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

/** No store comes to the largest number that is exact: what is beyond it is unknown as well. */
export function positionOf(digits: string): number {
  return Math.min(Number(digits), Number.MAX_SAFE_INTEGER)
}

/** In milliseconds; infinite when nothing is said. The first `wait` holds. */
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

/** A quoted number is the number; what else is quoted may hold separators, and is none of ours. */
function withoutQuotes(text: string): string {
  const parts = text.split('"')
  return parts
    .map((part, index) => (index % 2 === 0 || /^[0-9]{1,9}$/.test(part) ? part : '?'))
    .join('')
}
