import { RawConnection, type RawReply } from '../test/support/raw-connection.js'
import type { Target } from './target.js'

export type Exchange =
  /** `begun`: when it was sent, as `performance.now()` tells it. */
  | {
      readonly kind: 'answered'
      readonly reply: RawReply
      readonly begun: number
      readonly ms: number
    }
  /** Sent, as far as anybody knows, and the connection ended without an answer. */
  | { readonly kind: 'cut'; readonly ms: number }
  /** Nobody took the connection, so nothing was sent. */
  | { readonly kind: 'unsent' }

/** No request may wait so long for its answer, in milliseconds. */
export const maxSilenceMs = 30_000

/** One connection that is kept alive, one request on it at a time. */
export class Sender {
  private connection: RawConnection | undefined
  private port = 0

  constructor(
    private readonly target: Target,
    private readonly localAddress?: string,
  ) {}

  /** Sends the bytes to the service that listens, and waits for one. */
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
      // Whatever ended the connection: there is no answer, and the account says so.
      this.hangUp()
      return { kind: 'cut', ms: performance.now() - begun }
    }
  }

  /** The service said that it stops. */
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
      // Refused: the service is gone, or not there yet.
      return undefined
    }
  }
}
