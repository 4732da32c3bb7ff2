import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setImmediate as immediate } from 'node:timers/promises'

export interface RawReply {
  readonly statusLine: string
  readonly status: number
  /** The header lines, in the order in which they arrived. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: Buffer
  /** The number of interim replies before the reply. */
  readonly interim: number
}

/** The timeout of a reply, in milliseconds. */
const timeoutMs = 20_000

/** A connection that sends bytes unchanged and reads replies in order. */
export class RawClient {
  private received: Buffer = Buffer.alloc(0)
  private closed = false
  private wake: () => void = () => undefined

  private constructor(private readonly socket: Socket) {
    socket.setNoDelay(true)
    socket.on('data', (bytes: Buffer) => {
      this.received = this.received.length === 0 ? bytes : Buffer.concat([this.received, bytes])
      this.wake()
    })
    socket.on('end', () => socket.end())
    // The service may close the connection while a refused request is still being sent.
    socket.on('error', () => undefined)
    socket.on('close', () => {
      this.closed = true
      this.wake()
    })
  }

  static async open(port: number): Promise<RawClient> {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    await once(socket, 'connect')
    return new RawClient(socket)
  }

  /** Sends each piece with a separate write. */
  async send(pieces: readonly Buffer[]): Promise<void> {
    for (const piece of pieces) {
      if (!this.socket.writable) return
      this.socket.write(piece)
      if (pieces.length > 1) await immediate()
    }
  }

  /** Ends the client's side of the connection. The service may still answer. */
  end(): void {
    this.socket.end()
  }

  reset(): void {
    this.socket.resetAndDestroy()
  }

  /**
   * Returns the next reply. Undefined when the service closed the connection before a reply began. Throws for
   * invalid data, and on a timeout.
   */
  async reply(toHead: boolean): Promise<RawReply | undefined> {
    const until = Date.now() + timeoutMs
    let interim = 0
    for (;;) {
      const reply = this.take(toHead)
      if (reply !== undefined && reply.status >= 200) return { ...reply, interim }
      if (reply !== undefined) interim += 1
      else if (this.closed && this.received.length === 0) return undefined
      else if (this.closed) throw new Error(`half a reply, then the end: ${this.rest()}`)
      else await this.change(until)
    }
  }

  /** Resolves when the service has closed the connection. Throws when further data arrives. */
  async hungUp(): Promise<void> {
    const until = Date.now() + timeoutMs
    while (!this.closed) await this.change(until)
    if (this.received.length > 0) throw new Error(`bytes after the last reply: ${this.rest()}`)
  }

  private rest(): string {
    return JSON.stringify(this.received.subarray(0, 400).toString('latin1'))
  }

  private async change(until: number): Promise<void> {
    const left = until - Date.now()
    if (left <= 0) {
      this.socket.destroy()
      throw new Error(`no answer within ${String(timeoutMs)} ms, after ${this.rest()}`)
    }
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, left)
      this.wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  private take(toHead: boolean): Omit<RawReply, 'interim'> | undefined {
    if (
      this.received.length >= 9 &&
      !this.received.subarray(0, 9).equals(Buffer.from('HTTP/1.1 '))
    ) {
      throw new Error(`no reply begins like this: ${this.rest()}`)
    }
    const headEnd = this.received.indexOf('\r\n\r\n')
    if (headEnd < 0) return undefined
    const [statusLine = '', ...lines] = this.received.toString('latin1', 0, headEnd).split('\r\n')
    const headers = lines.map((line) => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon), line.slice(colon + 1).trim()] as const
    })
    const status = Number(statusLine.slice(9, 12))
    const length = headers.find(([name]) => name.toLowerCase() === 'content-length')?.[1]
    const end = headEnd + 4 + (toHead || status < 200 ? 0 : Number(length ?? 0))
    if (this.received.length < end) return undefined
    const body = this.received.subarray(headEnd + 4, end)
    this.received = this.received.subarray(end)
    return { statusLine, status, headers, body }
  }
}
