import { request, type ClientRequest, type IncomingMessage } from 'node:http'
import { StringDecoder } from 'node:string_decoder'
import { readKey } from './http-service.js'

export interface Frame {
  readonly id?: string
  readonly event?: string
  readonly data?: string
}

export interface StreamOptions {
  readonly key?: string
  readonly path?: string
  readonly lastEventId?: string | undefined
  /** Disconnects after this many bytes of the body. */
  readonly cutAfter?: number
}

/** A client of server-sent events. */
export class EventStream {
  readonly frames: Frame[] = []
  readonly status: number
  readonly headers: IncomingMessage['headers']
  private readonly decoder = new StringDecoder('utf8')
  private text = ''
  private bytes = 0
  private ended = false
  private changed: () => void = () => undefined

  private constructor(
    private readonly sent: ClientRequest,
    private readonly reply: IncomingMessage,
    cutAfter: number,
  ) {
    this.status = reply.statusCode ?? 0
    this.headers = reply.headers
    reply.on('data', (bytes: Buffer) => {
      this.take(bytes.subarray(0, cutAfter - this.bytes))
      this.bytes += bytes.length
      if (this.bytes >= cutAfter) this.cut()
      this.changed()
    })
    reply.on('error', () => undefined)
    reply.on('close', () => {
      this.ended = true
      this.changed()
    })
  }

  static open(port: number, options: StreamOptions = {}): Promise<EventStream> {
    const { key = readKey, path = '/facts', lastEventId, cutAfter = Infinity } = options
    return new Promise((resolve, reject) => {
      const headers = {
        authorization: `Bearer ${key}`,
        accept: 'text/event-stream',
        ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
      }
      const sent = request({ host: '127.0.0.1', port, path, headers, agent: false })
      sent.on('error', reject)
      sent.on('response', (reply) => {
        resolve(new EventStream(sent, reply, cutAfter))
      })
      sent.end()
    })
  }

  /**
   * Resolves when a frame passes the test. Returns all frames up to that frame, except frames that an earlier call
   * returned.
   */
  async until(passes: (frame: Frame) => boolean): Promise<readonly Frame[]> {
    for (;;) {
      const at = this.frames.findIndex(passes)
      if (at >= 0) return this.frames.splice(0, at + 1)
      if (this.ended) throw new Error(`ended after ${JSON.stringify(this.frames)}`)
      await this.change()
    }
  }

  /** Returns frames until they include this many facts. */
  async facts(count: number): Promise<readonly Frame[]> {
    for (;;) {
      const facts = this.frames.filter(isFact)
      const last = facts[count - 1]
      if (last !== undefined) return (await this.until((frame) => frame === last)).filter(isFact)
      if (this.ended) throw new Error(`ended after ${String(facts.length)} facts`)
      await this.change()
    }
  }

  live(): Promise<readonly Frame[]> {
    return this.until(({ event }) => event === 'live')
  }

  /** Resolves when the stream is live or has ended. Returns the frames that no earlier call returned. */
  async liveOrEnd(): Promise<readonly Frame[]> {
    while (!this.ended && !this.frames.some(({ event }) => event === 'live')) await this.change()
    return this.frames.splice(0)
  }

  /** Resolves when the server has ended the stream. Returns the frames that no earlier call returned. */
  async end(): Promise<readonly Frame[]> {
    while (!this.ended) await this.change()
    return this.frames.splice(0)
  }

  /** Whether the reply ended regularly. False when it was cut off. */
  get isWhole(): boolean {
    return this.reply.complete
  }

  /** Returns the body of a refusal. */
  async body(): Promise<string> {
    while (!this.ended) await this.change()
    return this.text
  }

  stopReading(): void {
    this.reply.pause()
  }

  readOn(): void {
    this.reply.resume()
  }

  cut(): void {
    this.sent.destroy()
  }

  private change(): Promise<void> {
    return new Promise((resolve) => {
      this.changed = resolve
    })
  }

  private take(bytes: Buffer): void {
    this.text += this.decoder.write(bytes)
    const parts = this.text.split('\n\n')
    this.text = parts.pop() ?? ''
    this.frames.push(...parts.map(frameOf))
  }
}

export function isFact({ event }: Frame): boolean {
  return event !== undefined && event !== 'live'
}

/** Returns whether a frame has only an id. */
export function isPlace({ event, data }: Frame): boolean {
  return event === undefined && data === undefined
}

function frameOf(text: string): Frame {
  const fields = text.split('\n').map((line) => {
    const colon = line.indexOf(': ')
    return [line.slice(0, colon), line.slice(colon + 2)] as const
  })
  return Object.fromEntries(fields)
}
