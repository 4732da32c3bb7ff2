import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

export interface RawReply {
  readonly status: number
  /** The headers, with names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface OpenOptions {
  /** The local address, one of 127.0.0.0/8. Each address has its own port numbers. */
  readonly localAddress?: string
  /**
   * Disconnects after this time without a byte in either direction, in milliseconds. 0, the default, means never.
   */
  readonly silenceMs?: number
}

/** A TCP connection that sends arbitrary bytes and parses replies in order. */
export class RawConnection {
  private received = Buffer.alloc(0)
  private changed: () => void = () => undefined
  private ended = false

  private constructor(private readonly socket: Socket) {
    socket.on('data', (bytes: Buffer) => {
      this.received = Buffer.concat([this.received, bytes])
      this.changed()
    })
    socket.on('end', () => socket.end())
    socket.on('error', () => undefined)
    socket.on('close', () => {
      this.ended = true
      this.changed()
    })
  }

  static async open(port: number, options: OpenOptions = {}): Promise<RawConnection> {
    const { localAddress, silenceMs = 0 } = options
    const from = localAddress === undefined ? {} : { localAddress }
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true, ...from })
    socket.setTimeout(silenceMs, () => {
      socket.destroy(new Error(`no answer within ${String(silenceMs)} ms`))
    })
    await once(socket, 'connect')
    return new RawConnection(socket)
  }

  /** Sends lines joined by CRLF. A Buffer is sent unchanged. */
  send(...lines: (string | Buffer)[]): void {
    const [first] = lines
    this.socket.write(Buffer.isBuffer(first) ? first : lines.join('\r\n'))
  }

  /** Sends the last bytes and ends this side. The server may still answer. */
  end(bytes: string): void {
    this.socket.end(bytes)
  }

  /** Returns the next reply, or the head of a reply to HEAD. Throws when the server disconnects first. */
  async reply({ toHead = false } = {}): Promise<RawReply> {
    for (;;) {
      const reply = this.take(toHead)
      if (reply !== undefined) return reply
      if (this.ended) throw new Error(`hung up after: ${this.received.toString()}`)
      await this.change()
    }
  }

  /** Whether the connection is closed. */
  get closed(): boolean {
    return this.ended
  }

  /** Stops reading, so that the server's output fills the socket buffers. */
  stopReading(): void {
    this.socket.pause()
  }

  /** Resolves when the server has disconnected. Returns the bytes that are not part of a reply. */
  async hungUp(): Promise<string> {
    while (!this.ended) await this.change()
    return this.received.toString()
  }

  cut(): void {
    this.socket.destroy()
  }

  reset(): void {
    this.socket.resetAndDestroy()
  }

  private change(): Promise<void> {
    return new Promise((resolve) => {
      this.changed = resolve
    })
  }

  private take(toHead: boolean): RawReply | undefined {
    const headEnd = this.received.indexOf('\r\n\r\n')
    if (headEnd < 0) return undefined
    const [statusLine = '', ...lines] = this.received.subarray(0, headEnd).toString().split('\r\n')
    const headers = Object.fromEntries(
      lines.map((line) => {
        const [name = '', ...value] = line.split(': ')
        return [name.toLowerCase(), value.join(': ')]
      }),
    )
    const status = Number(statusLine.split(' ')[1])
    const length = toHead || status < 200 ? 0 : Number(headers['content-length'])
    const end = headEnd + 4 + length
    if (this.received.length < end) return undefined
    const body = this.received.subarray(headEnd + 4, end).toString()
    this.received = this.received.subarray(end)
    return { status, headers, body }
  }
}
