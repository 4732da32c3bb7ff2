import { RawConnection, type RawReply } from '../test/support/raw-connection.js'
import type { Target } from './target.js'

export type Exchange =
  /** `begun`: when the request was sent, by `performance.now()`. */
  | {
      readonly kind: 'answered'
      readonly reply: RawReply
      readonly begun: number
      readonly ms: number
    }
  /** The request was possibly sent, and the connection ended without a reply. */
  | { readonly kind: 'cut'; readonly ms: number }
  /** The connection was refused, so nothing was sent. */
  | { readonly kind: 'unsent' }

/** The longest time that a request may wait for its reply, in milliseconds. */
export const maxSilenceMs = 30_000

/** A kept-alive connection that sends one request at a time. */
export class Sender {
  private connection: RawConnection | undefined
  private port = 0

  constructor(
    private readonly target: Target,
    private readonly localAddress?: string,
  ) {}

  /** Sends the bytes to the current service. Waits until a service is listening. */
  async exchange(bytes: string): Promise<Exchange> {
    const connection = await this.connected()
    if (connection === undefined) return { kind: 'unsent' }
    const begun = performance.now()
    try {
      connection.send(bytes)
      const reply = await connection.reply()
      if (reply.headers['connection'] === 'close') this.hangUp()
      return { kind: 'answered', reply, begun, ms: performance.now() - begun }
    } catch {
      // The connection ended without a reply, for whatever reason, and the account records that.
      this.hangUp()
      return { kind: 'cut', ms: performance.now() - begun }
    }
  }

  /** Closes the connection, because the service has announced its stop. */
  leave(): void {
    this.hangUp()
    this.target.leave(this.port)
  }

  hangUp(): void {
    this.connection?.cut()
    this.connection = undefined
  }

  private async connected(): Promise<RawConnection | undefined> {
    if (this.connection?.closed === false) return this.connection
    const port = await this.target.ready()
    if (port === undefined) return undefined
    const { localAddress } = this
    try {
      const connection = await RawConnection.open(port, {
        silenceMs: maxSilenceMs,
        ...(localAddress === undefined ? {} : { localAddress }),
      })
      this.port = port
      this.connection = connection
      return connection
    } catch {
      // The connection was refused, because the service has ended or does not listen yet.
      return undefined
    }
  }
}
