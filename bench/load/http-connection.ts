import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

const headEnd = '\r\n\r\n'
const lengthForm = /\r\ncontent-length: *([0-9]+)/i

/**
 * One kept-alive connection with one request outstanding. It reads of a reply what the load needs:
 * the status, and where the reply ends. Anything that it does not understand ends the load.
 *
 * Why not a ready-made load generator: it shares two cores with the server and its threads. Of the
 * same load autocannon 8 took 46 to 88 µs of CPU a request, this 15 to 23; a Fastify that stores
 * nothing takes about 50 to answer it.
 */
export class HttpConnection {
  private received: Buffer | undefined
  private answered: ((status: number) => void) | undefined
  private failed: ((error: Error) => void) | undefined
  /** Why nothing more can be sent. */
  private broken: Error | undefined

  private constructor(private readonly socket: Socket) {
    socket.setNoDelay(true)
    socket.on('data', (chunk) => {
      this.take(chunk)
    })
    socket.on('error', (error) => {
      this.fail(error)
    })
    socket.on('close', () => {
      this.fail(new Error('the server closed a connection'))
    })
  }

  static async open(origin: string): Promise<HttpConnection> {
    const { hostname, port } = new URL(origin)
    const socket = connect(Number(port), hostname)
    await once(socket, 'connect')
    return new HttpConnection(socket)
  }

  /**
   * `request` is the whole of it, in Latin-1. `answered` is called once with the status, or `failed`
   * once: also when the connection broke before, between two requests.
   */
  send(request: string, answered: (status: number) => void, failed: (error: Error) => void): void {
    if (this.broken !== undefined) {
      failed(this.broken)
      return
    }
    this.answered = answered
    this.failed = failed
    this.socket.write(request, 'latin1')
  }

  close(): void {
    this.failed = undefined
    this.socket.destroy()
  }

  private take(chunk: Buffer): void {
    const received = this.received === undefined ? chunk : Buffer.concat([this.received, chunk])
    const end = received.indexOf(headEnd)
    if (end === -1) {
      this.received = received
      return
    }
    const head = received.toString('latin1', 0, end)
    const length = lengthForm.exec(head)?.[1]
    if (length === undefined) {
      this.fail(new Error(`a reply without Content-Length: ${head}`))
      return
    }
    this.finish(received, end + headEnd.length + Number(length), Number(head.slice(9, 12)))
  }

  private finish(received: Buffer, length: number, status: number): void {
    if (received.length > length) {
      this.fail(new Error('more was answered than was asked'))
      return
    }
    this.received = received.length < length ? received : undefined
    if (this.received !== undefined) return
    const { answered } = this
    this.answered = undefined
    this.failed = undefined
    if (answered === undefined) this.fail(new Error(`${String(status)} was answered, unasked`))
    else answered(status)
  }

  /** The first of what went wrong: whatever follows comes of it. */
  private fail(error: Error): void {
    this.broken ??= error
    const { failed } = this
    this.answered = undefined
    this.failed = undefined
    failed?.(this.broken)
  }
}
