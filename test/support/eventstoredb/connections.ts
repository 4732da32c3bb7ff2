import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { once } from 'node:events'

/** The TCP side of the double: a listener that can stop and resume, and connections that can be cut. */
export class Connections {
  private readonly sockets = new Map<string, Socket>()
  private listener: Server | undefined
  private boundPort: number

  constructor(
    port: number,
    private readonly connected: (socket: Socket) => void,
  ) {
    this.boundPort = port
  }

  get port(): number {
    return this.boundPort
  }

  async listen(): Promise<void> {
    if (this.listener !== undefined) return
    const listener = createServer({ noDelay: true }, (socket) => {
      this.accept(socket)
    })
    this.listener = listener
    listener.listen(this.boundPort, '127.0.0.1')
    await once(listener, 'listening')
    this.boundPort = (listener.address() as AddressInfo).port
  }

  /** Cuts all connections and refuses new ones. */
  async refuse(): Promise<void> {
    const { listener } = this
    this.listener = undefined
    this.cutAll()
    if (listener === undefined) return
    const closed = once(listener, 'close')
    listener.close()
    await closed
  }

  /** The number of open connections. */
  get count(): number {
    return this.sockets.size
  }

  cut(peer: string): void {
    this.sockets.get(peer)?.destroy()
  }

  cutAll(): void {
    for (const socket of this.sockets.values()) socket.destroy()
  }

  private accept(socket: Socket): void {
    const peer = `${String(socket.remoteAddress)}:${String(socket.remotePort)}`
    this.sockets.set(peer, socket)
    socket.on('close', () => this.sockets.delete(peer))
    socket.on('error', () => this.sockets.delete(peer))
    this.connected(socket)
  }
}
