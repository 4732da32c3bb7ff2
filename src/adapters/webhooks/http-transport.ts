import { lookup, type LookupAddress } from 'node:dns'
import { isIP, type LookupFunction, type Socket } from 'node:net'
import { buildConnector, errors, Pool } from 'undici'
import type { Clock } from '../../application/ports/clock-and-ids.js'
import type {
  OutgoingMessage,
  SendOutcome,
  WebhookTransport,
} from '../../application/webhooks/ports/webhook-sending.js'
import { AddressRefused, isPublicAddress } from './address-guard.js'
import type { ReceiverRules } from './receiver-urls.js'
import { signatureOf } from './signature.js'

export interface HttpTransportOptions extends ReceiverRules {
  readonly clock: Clock
  /** The version of Dossier, for the header `user-agent`. */
  readonly version: string
  /** Resolves a host name. Tests replace it. */
  readonly lookup?: Lookup
  /** The longest time from the start of a request to the headers of its reply, in milliseconds. */
  readonly replyMs?: number
}

/** The most connections of one webhook. */
const maxConnections = 16
const defaultReplyMs = 10_000
/** The maximum number of bytes that are read of a reply, and the time limit for reading them. */
const maxReplyBytes = 65_536
const readReplyMs = 1_000

/** Returns all addresses of a host name, as `dns.lookup` does with the option `all`. */
type Lookup = (
  host: string,
  options: { readonly all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void

/**
 * Sends messages over HTTP. Each webhook has its own connections, so a receiver that hangs delays no other webhook.
 * Redirects are not followed. The text of an error contains no part of the URL or of the reply.
 */
export class HttpTransport implements WebhookTransport {
  private readonly pools = new Map<string, { readonly origin: string; readonly pool: Pool }>()
  private readonly connect: buildConnector.connector

  constructor(private readonly options: HttpTransportOptions) {
    this.connect = guardedConnector(options)
  }

  async send(message: OutgoingMessage, signal: AbortSignal): Promise<SendOutcome> {
    const { replyMs = defaultReplyMs } = this.options
    const timeout = AbortSignal.timeout(replyMs)
    try {
      return await this.post(message, AbortSignal.any([signal, timeout]))
    } catch (error) {
      if (signal.aborted) return { kind: 'unreachable', error: 'the delivery was stopped' }
      return { kind: 'unreachable', error: timeout.aborted ? 'no reply in time' : reasonFor(error) }
    }
  }

  forget(webhook: string): void {
    const found = this.pools.get(webhook)
    this.pools.delete(webhook)
    void found?.pool.destroy()
  }

  async close(): Promise<void> {
    const pools = [...this.pools.values()]
    this.pools.clear()
    await Promise.all(pools.map(({ pool }) => pool.destroy()))
  }

  private async post(message: OutgoingMessage, signal: AbortSignal): Promise<SendOutcome> {
    const url = new URL(message.url)
    if (url.protocol !== 'https:' && !this.options.isInsecure) {
      return { kind: 'unreachable', error: 'http is not allowed' }
    }
    const body = Buffer.from(message.body)
    const { id } = message
    const timestamp = String(Math.floor(this.options.clock.now().getTime() / 1_000))
    const signature = await signatureOf({ id, timestamp, body }, message.secrets)
    const {
      statusCode: status,
      headers,
      body: reply,
    } = await this.poolOf(message.webhook, url).request({
      method: 'POST',
      path: `${url.pathname}${url.search}`,
      headers: {
        'content-type': 'application/json',
        'user-agent': `Dossier/${this.options.version}`,
        'webhook-id': id,
        'webhook-timestamp': timestamp,
        'webhook-signature': signature,
      },
      body,
      signal,
    })
    const retryAfterMs = this.retryAfterOf(headers['retry-after'])
    await discard(reply)
    return { kind: 'replied', status, retryAfterMs: status < 300 ? undefined : retryAfterMs }
  }

  private poolOf(webhook: string, { origin }: URL): Pool {
    const found = this.pools.get(webhook)
    if (found?.origin === origin) return found.pool
    this.forget(webhook)
    const { connect } = this
    // The signal of each request limits its time, so undici's own time limits are off.
    const pool = new Pool(origin, {
      connect,
      connections: maxConnections,
      pipelining: 1,
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: maxReplyBytes,
    })
    this.pools.set(webhook, { origin, pool })
    return pool
  }

  /** Reads the header `Retry-After`: seconds or a date. */
  private retryAfterOf(header: string | string[] | undefined): number | undefined {
    if (typeof header !== 'string') return undefined
    if (/^[0-9]{1,9}$/.test(header)) return Number(header) * 1_000
    const at = Date.parse(header)
    return Number.isNaN(at) ? undefined : Math.max(0, at - this.options.clock.now().getTime())
  }
}

/** Reads the reply so that the connection can be used again. Closes the connection of a long or slow reply. */
async function discard(reply: {
  dump(options: { limit: number; signal: AbortSignal }): Promise<void>
}): Promise<void> {
  try {
    await reply.dump({ limit: maxReplyBytes, signal: AbortSignal.timeout(readReplyMs) })
  } catch {
    // The status has arrived, so the rest of the reply does not matter.
  }
}

/**
 * Returns a connector for undici that refuses private addresses, unless they are allowed. It checks each address before
 * and after it connects.
 */
function guardedConnector(options: HttpTransportOptions): buildConnector.connector {
  const { isPrivate, replyMs = defaultReplyMs } = options
  const look = options.lookup ?? lookup
  const connect = buildConnector({
    timeout: replyMs,
    lookup: checkedLookup(look, isPrivate ? () => true : isPublicAddress),
  })
  if (isPrivate) return connect
  return (given, callback) => {
    const host = given.hostname.replace(/^\[(.*)\]$/, '$1')
    // Node does not look up an IP address, so the address is checked here.
    if (isIP(host) !== 0 && !isPublicAddress(host)) {
      callback(new AddressRefused(), null)
      return
    }
    connect(given, (error, socket) => {
      if (error !== null) {
        callback(error, null)
      } else if (isPublicSocket(socket)) {
        callback(null, socket)
      } else {
        socket.destroy()
        callback(new AddressRefused(), null)
      }
    })
  }
}

function isPublicSocket({ remoteAddress }: Socket): boolean {
  return remoteAddress !== undefined && isPublicAddress(remoteAddress)
}

/**
 * Returns a lookup that returns only allowed addresses. Node connects to the addresses that it returns and does not
 * look the name up again.
 */
function checkedLookup(look: Lookup, isAllowed: (address: string) => boolean): LookupFunction {
  return (host, options, callback) => {
    look(host, { ...options, all: true }, (error, addresses) => {
      if (error !== null) {
        callback(error, [])
        return
      }
      const allowed = addresses.filter(({ address }) => isAllowed(address))
      const [first] = allowed
      if (first === undefined) callback(new AddressRefused(), [])
      else if (options.all === true) callback(null, allowed)
      else callback(null, first.address, first.family)
    })
  }
}

/** Returns a short reason without addresses and without any part of the URL. */
function reasonFor(error: unknown): string {
  if (error instanceof errors.HTTPParserError) return 'the reply is not HTTP'
  const code = codeOf(error) ?? codeOf(causeOf(error))
  if (code === undefined) return 'the request failed'
  return reasons[code] ?? `the request failed (${code})`
}

function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined
  const { code } = error
  return typeof code === 'string' && /^[A-Z0-9_]{1,60}$/.test(code) ? code : undefined
}

function causeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'cause' in error ? error.cause : undefined
}

const reasons: Readonly<Record<string, string>> = {
  ADDRESS_REFUSED: 'the address is not public',
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  ENOTFOUND: 'the name has no address',
  EAI_AGAIN: 'the name cannot be looked up at the moment',
  UND_ERR_CONNECT_TIMEOUT: 'no connection in time',
  UND_ERR_SOCKET: 'the connection was closed',
  UND_ERR_HEADERS_OVERFLOW: 'the headers of the reply are too large',
}
