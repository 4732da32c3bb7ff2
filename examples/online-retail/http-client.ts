import http from 'node:http'
import https from 'node:https'

export interface HttpRequest {
  readonly method: 'POST' | 'PATCH'
  readonly path: string
  /** JSON. */
  readonly body: string
  readonly idempotencyKey?: string
}

export interface Reply {
  readonly status: number
  /** The Retry-After header as it came. */
  readonly retryAfter: string | undefined
  /** Whether the service said that it had stored this before. */
  readonly replayed: boolean
  /** Of the last fact that it stored; undefined where it stored none. */
  readonly position?: string | undefined
  /** The value of the JSON; undefined when the body was none. */
  readonly body: unknown
}

export interface HttpClient {
  /** Sends once; no reply within the time rejects, like every broken connection. */
  readonly send: (request: HttpRequest, timeoutMs: number) => Promise<Reply>
  /** Breaks every connection: what is under way rejects, and so does what comes later. */
  readonly close: () => void
}

/** Requests over kept-alive connections, as many as are under way. */
export function createHttpClient(url: URL, key: string): HttpClient {
  const secure = url.protocol === 'https:'
  const agent = secure ? new https.Agent({ keepAlive: true }) : new http.Agent({ keepAlive: true })
  const { request } = secure ? https : http
  const prefix = url.pathname.replace(/\/+$/, '')
  const address = { hostname: hostOf(url), port: url.port, agent }
  let closed = false
  return {
    send: ({ method, path, body, idempotencyKey }, timeoutMs) =>
      new Promise((resolve, reject) => {
        if (closed) throw new Error('the connection is closed')
        const headers = {
          Authorization: `Bearer ${key}`,
          'Content-Type': 'application/json',
          'Content-Length': Buffer.byteLength(body),
          ...(idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey }),
        }
        const options = { ...address, method, path: prefix + path, headers }
        const sent = request(options, (response) => {
          readReply(response).then(resolve, reject)
        })
        const timer = setTimeout(() => {
          sent.destroy(new Error('no reply in time'))
        }, timeoutMs)
        sent.once('close', () => {
          clearTimeout(timer)
        })
        sent.on('error', reject)
        sent.end(body)
      }),
    close: () => {
      closed = true
      agent.destroy()
    },
  }
}

/** The brackets of an IPv6 address belong to the URL. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '')
}

async function readReply(response: http.IncomingMessage): Promise<Reply> {
  let text = ''
  const pieces: AsyncIterable<string> = response.setEncoding('utf8')
  for await (const piece of pieces) text += piece
  return {
    status: response.statusCode ?? 0,
    retryAfter: response.headers['retry-after'],
    replayed: response.headers['idempotency-replayed'] === 'true',
    position: positionIn(response.headers['position']),
    body: parsed(text),
  }
}

function positionIn(header: string | readonly string[] | undefined): string | undefined {
  return typeof header === 'string' && /^[0-9]+$/.test(header) ? header : undefined
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
