import { StartedService } from '../started-service.js'
import type { UnreliableProxy } from './unreliable-proxy.js'

export interface Kills {
  readonly kills: number
  /** The number of requests that the proxy passes on between two kills. */
  readonly everyRequests: number
  /** Additional settings of the service. */
  readonly env?: Readonly<Record<string, string>>
}

/** A service behind a proxy. After a number of requests, the service is killed with `kill -9` and started again. */
export class KilledService {
  kills = 0
  private restarting: Promise<void> = Promise.resolve()

  private constructor(
    private service: StartedService,
    private readonly proxy: UnreliableProxy,
    private readonly options: Kills,
  ) {}

  static async start(
    folder: string,
    proxy: UnreliableProxy,
    options: Kills,
  ): Promise<KilledService> {
    const service = await StartedService.start(folder, settingsOf(options))
    const killed = new KilledService(service, proxy, options)
    proxy.passTo(killed.service.port)
    proxy.passedOn = (count) => {
      killed.counted(count)
    }
    return killed
  }

  get folder(): string {
    return this.service.folder
  }

  get key(): string {
    return this.service.key
  }

  /** Sends a request to the service without the proxy, while the service is not being killed. */
  async directly<T>(question: (origin: string, key: string) => Promise<T>): Promise<T> {
    const { passedOn } = this.proxy
    this.proxy.passedOn = () => undefined
    await this.restarting
    try {
      return await question(this.service.origin, this.key)
    } finally {
      this.proxy.passedOn = passedOn
    }
  }

  async end(): Promise<void> {
    this.proxy.passedOn = () => undefined
    await this.restarting
    await this.service.end()
  }

  private counted(requests: number): void {
    const { kills, everyRequests } = this.options
    if (this.kills >= kills || requests < (this.kills + 1) * everyRequests) return
    this.kills += 1
    this.restarting = this.restarting.then(async () => {
      await this.service.end('SIGKILL')
      this.service = await StartedService.start(this.service.folder, settingsOf(this.options))
      this.proxy.passTo(this.service.port)
    })
  }
}

function settingsOf({ env }: Kills): Readonly<Record<string, string>> {
  return { READ_MODEL: 'data/read-model.db', ...env }
}
