import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { z } from 'zod'

/** The header of an idempotent response. */
export const replayedHeader = 'Idempotency-Replayed'

/**
 * A request that the stub received. For a batch, each item is one request, with its `op` and its fields as the body.
 */
export interface Seen {
  readonly method: string
  readonly path: string
  readonly key: string
  readonly authorization: string
  readonly body: unknown
}

/** The reaction of the stub: an answer, or `reset` to break the connection. */
export type Answer =
  | 'reset'
  | {
      readonly status: number
      readonly headers?: Readonly<Record<string, string>>
      readonly code?: string
      readonly text?: string
    }

export interface StubService {
  readonly url: URL
  readonly seen: readonly Seen[]
  close(): Promise<void>
}

/** Starts a service. The test decides the answer to each request, and to each item of a batch. */
export async function startStub(
  answer: (request: Seen, index: number) => Answer,
): Promise<StubService> {
  const seen: Seen[] = []
  const server = createServer((request, response) => {
    void read(request).then((sent) => {
      const answered = sent.map((one) => answer(one, seen.push(one) - 1))
      const whole = request.url === '/batch' ? batchAnswer(answered) : (answered[0] ?? 'reset')
      if (whole === 'reset') {
        request.socket.resetAndDestroy()
        return
      }
      const { status, headers = {} } = whole
      response.writeHead(status, headers)
      response.end(whole.text ?? JSON.stringify(bodyOf(whole)))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: new URL(`http://127.0.0.1:${String(port)}`),
    seen,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function bodyOf({ code }: Exclude<Answer, 'reset'>) {
  if (code === undefined) return { data: {} }
  return { error: { code, message: `It is ${code}.`, details: [], request_id: 'r' } }
}

function batchAnswer(answers: readonly Answer[]): Answer {
  const items = answers.filter((answer) => answer !== 'reset')
  if (items.length < answers.length) return 'reset'
  const results = items.map((item) => ({
    status: item.status,
    ...bodyOf(item),
    position: '1',
    replayed: item.headers?.[replayedHeader] === 'true',
  }))
  const headers = Object.fromEntries(items.flatMap((item) => Object.entries(item.headers ?? {})))
  const status = items.every((item) => item.status < 300) ? 200 : 207
  return { status, headers, text: JSON.stringify({ data: { results } }) }
}

const sentBatch = z.object({ items: z.array(z.looseObject({ idempotency_key: z.string() })) })

async function read(request: IncomingMessage): Promise<readonly Seen[]> {
  let text = ''
  const pieces: AsyncIterable<string> = request.setEncoding('utf8')
  for await (const piece of pieces) text += piece
  const { method = '', url: path = '', headers } = request
  const authorization = String(headers.authorization)
  const body: unknown = JSON.parse(text)
  if (path !== '/batch') {
    return [{ method, path, key: String(headers['idempotency-key']), authorization, body }]
  }
  return sentBatch.parse(body).items.map(({ idempotency_key: key, ...fields }) => {
    return { method, path, key, authorization, body: fields }
  })
}
