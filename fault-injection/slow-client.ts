import { RawConnection } from '../test/support/raw-connection.js'
import { headOf } from './requests.js'

/** A way in which a client can be slow. */
export interface Slowness {
  readonly name: string
  /** The bytes that the client sends first. */
  readonly first: string
  /** The bytes that the client then sends repeatedly, and the interval. */
  readonly then?: { readonly bytes: string; readonly everyMs: number }
  /** The expected status before the connection ends. 0: it ends without a reply. */
  readonly answer: number
  /** The latest time at which the service must end the connection, in milliseconds. */
  readonly endsWithinMs: number
}

/** The service's timeouts for headers, for a request, and for an idle connection. */
export const timeouts = { headersMs: 10_000, requestMs: 30_000, idleMs: 72_000 }
/**
 * The tolerance of these timeouts, in milliseconds. The service checks them once a second, and a busy machine is
 * late.
 */
export const slackMs = 10_000

const chunk = `4000\r\n${'x'.repeat(0x4000)}\r\n`

/** All ways in which a client can be slow with a request. */
export const slownesses: readonly Slowness[] = [
  {
    name: 'headers, a byte a second',
    first: 'POST /events HTTP/1.1\r\nHost: ',
    then: { bytes: 'x', everyMs: 1_000 },
    answer: 408,
    endsWithinMs: timeouts.headersMs + slackMs,
  },
  {
    name: 'nothing at all',
    first: '',
    answer: 408,
    endsWithinMs: timeouts.headersMs + slackMs,
  },
  {
    name: 'a body, a byte a second',
    first: `${headOf('POST /events')}Content-Length: 1000\r\n\r\n{`,
    then: { bytes: ' ', everyMs: 1_000 },
    answer: 408,
    endsWithinMs: timeouts.requestMs + slackMs,
  },
  {
    name: 'less body than announced',
    first: `${headOf('POST /events')}Content-Length: 1000\r\n\r\n{"name":`,
    answer: 408,
    endsWithinMs: timeouts.requestMs + slackMs,
  },
  {
    name: 'chunks, a byte a second, without end',
    first: `${headOf('POST /events')}Transfer-Encoding: chunked\r\n\r\n`,
    then: { bytes: '1\r\n \r\n', everyMs: 1_000 },
    answer: 408,
    endsWithinMs: timeouts.requestMs + slackMs,
  },
  {
    name: 'chunks of 16 KiB without end',
    first: `${headOf('POST /events')}Transfer-Encoding: chunked\r\n\r\n`,
    then: { bytes: chunk, everyMs: 200 },
    answer: 413,
    endsWithinMs: timeouts.requestMs + slackMs,
  },
]

export interface Ending {
  /** The status of the reply. 0 when there was none. */
  readonly status: number
  /** The time from the first byte to the end of the connection, in milliseconds. */
  readonly ms: number
}

/**
 * Acts as the slow client. Resolves when the service has ended the connection, or with undefined when it did not do
 * so in time.
 */
export async function beSlow(
  { first, then, endsWithinMs }: Slowness,
  port: number,
  localAddress: string,
): Promise<Ending | undefined> {
  const connection = await RawConnection.open(port, { localAddress })
  const begun = performance.now()
  connection.send(first)
  const sending = setInterval(() => {
    if (then !== undefined && !connection.closed) connection.send(then.bytes)
  }, then?.everyMs ?? endsWithinMs)
  const tooLate = new AbortController()
  const giveUp = setTimeout(() => {
    tooLate.abort()
    connection.cut()
  }, endsWithinMs)
  const received = await connection.hungUp()
  clearInterval(sending)
  clearTimeout(giveUp)
  if (tooLate.signal.aborted) return undefined
  const status = Number(/^HTTP\/1\.1 ([0-9]{3})/.exec(received)?.[1] ?? 0)
  return { status, ms: performance.now() - begun }
}
