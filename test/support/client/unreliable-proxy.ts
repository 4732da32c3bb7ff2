import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import { connect, createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net'
import type { Random } from '../../../fault-injection/random.js'

export interface ProxyOptions {
  readonly random: Random
  /** Receives the bodies that are posted to `/outcome`. */
  readonly outcome?: (text: string) => void
}

type Files = Readonly<Record<string, { readonly type: string; readonly text: string }>>

/**
 * A proxy between a client and a service. The port of the service may change with each restart. Cuts connections at
 * random bytes. Sends every fourth request with a body twice, either concurrently or in sequence.
 */
export class UnreliableProxy {
  cuts = 0
  doubled = 0
  /** Called for each request that was passed on, with the number of such requests so far. */
  passedOn: (count: number) => void = () => undefined
  private files: Files = {}
  private isCutting = true
  private target = 0
  private count = 0
  private readonly sockets = new Set<Socket>()
  private readonly doubler = createServer((incoming, response) => {
    void this.handle(incoming, response)
  })
  private readonly cutter = createTcpServer((near) => {
    this.join(near)
  })

  private constructor(private readonly options: ProxyOptions) {}

  static async start(options: ProxyOptions): Promise<UnreliableProxy> {
    const proxy = new UnreliableProxy(options)
    for (const server of [proxy.doubler, proxy.cutter]) {
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    }
    return proxy
  }

  get url(): string {
    return `http://127.0.0.1:${String(portOf(this.cutter.address()))}`
  }

  /** Serves these files to a browser. The proxy cuts no connection until they are loaded. */
  serve(files: Files): void {
    this.files = files
    this.isCutting = false
  }

  /** Sets the port of the service. */
  passTo(port: number): void {
    this.target = port
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy()
    this.doubler.closeAllConnections()
    await Promise.all(
      [this.doubler, this.cutter].map((server) => new Promise((resolve) => server.close(resolve))),
    )
  }

  /** Passes on the bytes of a connection, up to the byte at which it is cut. */
  private join(near: Socket): void {
    const far = connect(portOf(this.doubler.address()), '127.0.0.1')
    // Cuts after 64 bytes to 16 MB of both directions together. Most connections break early, but a large batch can
    // get through.
    let left = this.isCutting ? 2 ** (6 + 18 * this.options.random.next()) : Infinity
    const end = () => {
      near.destroy()
      far.destroy()
      this.sockets.delete(near)
    }
    const pass = (to: Socket) => (bytes: Buffer) => {
      to.write(bytes.subarray(0, Math.floor(left)))
      left -= bytes.length
      if (left >= 0) return
      this.cuts += 1
      to.end(() => {
        end()
      })
    }
    this.sockets.add(near)
    near.on('data', pass(far)).on('error', end).on('close', end)
    far.on('data', pass(near)).on('error', end).on('close', end)
  }

  private async handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    try {
      for await (const chunk of incoming) chunks.push(chunk as Buffer)
    } catch {
      // The connection was cut in the middle of the request.
      return
    }
    const body = Buffer.concat(chunks)
    const file = this.files[incoming.url ?? '']
    if (file !== undefined) {
      response.writeHead(200, { 'content-type': file.type, connection: 'close' }).end(file.text)
    } else if (incoming.url === '/outcome') {
      this.options.outcome?.(body.toString())
      response.writeHead(200, { 'content-length': '0' }).end()
    } else {
      this.passOn(incoming, body, response)
    }
  }

  private passOn(incoming: IncomingMessage, body: Buffer, response: ServerResponse): void {
    const { random } = this.options
    this.isCutting = true
    this.count += 1
    this.passedOn(this.count)
    if (body.length === 0 || random.next() >= 0.25) {
      this.send(incoming, body, response)
      return
    }
    this.doubled += 1
    const isTogether = random.next() < 0.5
    this.send(incoming, body, undefined, () => {
      if (!isTogether) this.send(incoming, body, response)
    })
    if (isTogether) this.send(incoming, body, response)
  }

  /** Sends a request to the service. Without `response`, the reply is dropped. */
  private send(
    { method, url, headers }: IncomingMessage,
    body: Buffer,
    response: ServerResponse | undefined,
    done: () => void = () => undefined,
  ): void {
    const options = {
      host: '127.0.0.1',
      port: this.target,
      method,
      path: url,
      headers,
      agent: false,
    }
    const sent = request(options, (reply) => {
      reply.on('error', () => response?.destroy())
      reply.once('close', done)
      response?.writeHead(reply.statusCode ?? 502, reply.headers)
      response?.once('close', () => reply.destroy())
      if (response === undefined) reply.resume()
      else reply.pipe(response)
    })
    sent.on('error', () => {
      response?.destroy()
      done()
    })
    sent.end(body)
  }
}

function portOf(address: AddressInfo | string | null): number {
  if (typeof address !== 'object' || address === null) throw new Error('it does not listen')
  return address.port
}
