import { connect, type Socket } from 'node:net'
import { Connections } from '../eventstoredb/connections.js'

export interface StoreAddress {
  readonly address: string
  readonly port: number
}

/** The connection between one process and the shared store. Tests can mute or cut it. */
export class StoreLink {
  private readonly connections = new Connections(0, (socket) => {
    this.join(socket)
  })
  private readonly lines = new Map<Socket, Socket>()
  private isMuted = false

  private constructor(private readonly store: StoreAddress) {}

  static async opened(store: StoreAddress): Promise<StoreLink> {
    const link = new StoreLink(store)
    await link.connections.listen()
    return link
  }

  get url(): string {
    return `esdb://127.0.0.1:${String(this.connections.port)}?tls=false`
  }

  /** Lets requests reach the store, but drops all replies. */
  mute(): void {
    this.isMuted = true
    for (const [near, far] of this.lines) far.unpipe(near)
  }

  /** Cuts all connections, and refuses new ones until the link is restored. */
  async cut(): Promise<void> {
    await this.connections.refuse()
    this.isMuted = false
  }

  async mend(): Promise<void> {
    await this.connections.listen()
  }

  private join(near: Socket): void {
    const far = connect({ host: this.store.address, port: this.store.port, noDelay: true })
    this.lines.set(near, far)
    near.pipe(far)
    if (!this.isMuted) far.pipe(near)
    // A `close` event follows each error.
    far.on('error', () => near.destroy())
    far.on('close', () => near.destroy())
    near.on('close', () => {
      this.lines.delete(near)
      far.destroy()
    })
  }
}
