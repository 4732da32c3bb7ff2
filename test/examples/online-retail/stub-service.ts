import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A request as the stub saw it. */
export interface Seen {
  readonly path: string
  readonly key: string
  readonly authorization: string
  readonly body: unknown
}

/** What the stub does: an answer, or 'reset' to break the connection. */
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

/** A service that answers as the test says; `answer` may wait. */
export async function startStub(
  answer: (request: Seen, index: number) => Answer | Promise<Answer>,
): Promise<StubService> {
  const seen: Seen[] = []
  const server = createServer((request, response) => {
    void read(request).then(async (one) => {
      const answered = await answer(one, seen.push(one) - 1)
      if (answered === 'reset') {
        request.socket.resetAndDestroy()
        return
      }
      const { status, headers = {}, code, text } = answered
      response.writeHead(status, headers)
      response.end(text ?? JSON.stringify(code === undefined ? {} : { error: { code } }))
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

async function read(request: IncomingMessage): Promise<Seen> {
  let text = ''
  const pieces: AsyncIterable<string> = request.setEncoding('utf8')
  for await (const piece of pieces) text += piece
  return {
    path: request.url ?? '',
    key: String(request.headers['idempotency-key']),
    authorization: String(request.headers.authorization),
    body: JSON.parse(text),
  }
}
