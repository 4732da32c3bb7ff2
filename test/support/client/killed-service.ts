import { StartedService } from '../started-service.js'
import type { UnreliableProxy } from './unreliable-proxy.js'

const env = { READ_MODEL: 'data/read-model.db' }

/** A service behind a proxy, killed with `kill -9` after so many requests and started again. */
export class KilledService {
  kills = 0
  private restarting: Promise<void> = Promise.resolve()

  private constructor(
    private service: StartedService,
    private readonly proxy: UnreliableProxy,
    private readonly maxKills: number,
    private readonly everyRequests: number,
  ) {}

  static async start(
    folder: string,
    proxy: UnreliableProxy,
    { kills, everyRequests }: { readonly kills: number; readonly everyRequests: number },
  ): Promise<KilledService> {
    const killed = new KilledService(
      await StartedService.start(folder, env),
      proxy,
      kills,
      everyRequests,
    )
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

  async end(): Promise<void> {
    this.proxy.passedOn = () => undefined
    await this.restarting
    await this.service.end()
  }

  private counted(requests: number): void {
    if (this.kills >= this.maxKills || requests < (this.kills + 1) * this.everyRequests) return
    this.kills += 1
    this.restarting = this.restarting.then(async () => {
      await this.service.end('SIGKILL')
      this.service = await StartedService.start(this.service.folder, env)
      this.proxy.passTo(this.service.port)
    })
  }
}
