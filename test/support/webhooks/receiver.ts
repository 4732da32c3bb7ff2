import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { text } from 'node:stream/consumers'
import { Webhook } from 'standardwebhooks'
import { z } from 'zod'

const bodyForm = z.object({
  type: z.string(),
  id: z.string(),
  position: z.string().optional(),
  data: z.record(z.string(), z.unknown()),
  profile: z.record(z.string(), z.unknown()).nullish(),
})

export interface ReceivedMessage extends z.infer<typeof bodyForm> {
  /** The header `webhook-id`. */
  readonly messageId: string
}

/** A receiver of webhooks on this machine. It verifies each signature once it knows the secret. */
export class WebhookReceiver {
  readonly received: ReceivedMessage[] = []
  /** The messages whose signature was wrong. */
  readonly forged: string[] = []
  status = 204
  secret: string | undefined
  private readonly waiting = new Set<() => void>()

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async start(): Promise<WebhookReceiver> {
    const server = createServer()
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    if (address === null || typeof address === 'string') throw new Error('no port')
    const url = `http://127.0.0.1:${String(address.port)}/hook?token=s3cret-token`
    const receiver = new WebhookReceiver(server, url)
    server.on('request', (request, reply) => {
      void text(request).then((body) => {
        const id = String(request.headers['webhook-id'])
        if (receiver.status < 300) receiver.take(id, body, request.headers)
        reply.writeHead(receiver.status).end()
        for (const look of receiver.waiting) look()
      })
    })
    return receiver
  }

  /** Resolves when the condition holds after a message. */
  when(condition: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        if (!condition()) return
        this.waiting.delete(look)
        resolve()
      }
      this.waiting.add(look)
      look()
    })
  }

  async close(): Promise<void> {
    this.server.closeAllConnections()
    this.server.close()
    await once(this.server, 'close')
  }

  private take(id: string, body: string, headers: Record<string, unknown>): void {
    this.received.push({ ...bodyForm.parse(JSON.parse(body)), messageId: id })
    if (this.secret === undefined) return
    try {
      new Webhook(this.secret).verify(body, {
        'webhook-id': id,
        'webhook-timestamp': String(headers['webhook-timestamp']),
        'webhook-signature': String(headers['webhook-signature']),
      })
    } catch {
      this.forged.push(id)
    }
  }
}
