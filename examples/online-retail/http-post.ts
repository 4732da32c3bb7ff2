import http from 'node:http'
import https from 'node:https'

/** A request as it goes out; the same again when it is sent again. */
export interface Message {
  readonly path: string
  /** JSON. */
  readonly body: string
  readonly idempotencyKey: string
}

export interface Reply {
  readonly status: number
  /** The Retry-After header as it came. */
  readonly retryAfter: string | undefined
  /** Whether the service said that it had stored this before. */
  readonly replayed: boolean
  readonly body: string
}

/** Sends once; no reply within the time rejects, like every broken connection. */
export type Post = (message: Message, timeoutMs: number) => Promise<Reply>

export interface HttpClient {
  readonly post: Post
  /** Hangs up; what is under way rejects. */
  readonly close: () => void
}

/** Requests over kept-alive connections, as many as are under way. */
export function createHttpClient(url: URL, key: string): HttpClient {
  const secure = url.protocol === 'https:'
  const agent = secure ? new https.Agent({ keepAlive: true }) : new http.Agent({ keepAlive: true })
  const { request } = secure ? https : http
  const prefix = url.pathname.replace(/\/+$/, '')
  const address = { hostname: hostOf(url), port: url.port, agent, method: 'POST' }
  const post: Post = ({ path, body, idempotencyKey }, timeoutMs) =>
    new Promise((resolve, reject) => {
      const headers = {
        Authorization: `Bearer ${key}`,
        'Content-Type': 'application/json',
        'Content-Length': Buffer.byteLength(body),
        'Idempotency-Key': idempotencyKey,
      }
      const sent = request({ ...address, path: prefix + path, headers }, (response) => {
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
    })
  return {
    post,
    close: () => {
      agent.destroy()
    },
  }
}

/** The brackets of an IPv6 address belong to the URL. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '')
}

async function readReply(response: http.IncomingMessage): Promise<Reply> {
  let body = ''
  const pieces: AsyncIterable<string> = response.setEncoding('utf8')
  for await (const piece of pieces) body += piece
  return {
    status: response.statusCode ?? 0,
    retryAfter: response.headers['retry-after'],
    replayed: response.headers['idempotency-replayed'] === 'true',
    body,
  }
}
