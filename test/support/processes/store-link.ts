import { connect, type Socket } from 'node:net'
import { Connections } from '../eventstoredb/connections.js'

export interface StoreAddress {
  readonly address: string
  readonly port: number
}

/** What lies between one process and the store that it shares with others: a line that can be cut. */
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

  /** What is sent comes to the store from now on, and nothing comes back. */
  mute(): void {
    this.isMuted = true
    for (const [near, far] of this.lines) far.unpipe(near)
  }

  /** What is under way breaks off, and nothing goes through until it is mended. */
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
    // An error is followed by a close.
    far.on('error', () => near.destroy())
    far.on('close', () => near.destroy())
    near.on('close', () => {
      this.lines.delete(near)
      far.destroy()
    })
  }
}
