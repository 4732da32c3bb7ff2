import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { StartedService } from '../service-process.js'
import { StoreLink, type StoreAddress } from './store-link.js'

const apiKey = 'one-key-for-all-replicas'
/** The store timeout, in milliseconds. It is shorter than a fault, so that requests time out during a fault. */
const storeTimeoutMs = 1_000
/** The timeout of a request, in milliseconds. A frozen process never answers. */
const answerMs = 1_500
/** The number of log lines to print when a test fails. */
const lastLines = 12

export interface Reply {
  readonly status: number
  readonly position: number
  /** The log time in the reply, in RFC 3339. */
  readonly logTime: string
  /** The parsed body. */
  readonly body: unknown
}

export interface Asked {
  readonly method?: string
  readonly body?: object
  readonly headers?: Readonly<Record<string, string>>
}

/** One of several processes over one store. Each process has its own connection to the store. */
export class ReplicaProcess {
  private readonly before: string[] = []

  private constructor(
    readonly name: string,
    private readonly folder: string,
    readonly link: StoreLink,
    private service: StartedService,
  ) {}

  static async started(name: string, folder: string, store: StoreAddress): Promise<ReplicaProcess> {
    const link = await StoreLink.opened(store)
    return new ReplicaProcess(name, folder, link, await startedService(folder, link))
  }

  /** All lines that the process has printed, including lines before it was killed. */
  get lines(): readonly string[] {
    return [...this.before, ...this.service.lines]
  }

  async kill(): Promise<void> {
    await this.service.end('SIGKILL')
  }

  /**
   * Starts the process again. `anew` removes its read model, so that the process rebuilds it from the start of the
   * log.
   */
  async startAgain({ anew }: { readonly anew: boolean }): Promise<void> {
    if (anew) rmSync(join(this.folder, 'read-model.db'), { force: true })
    this.before.push(...this.service.lines)
    this.service = await startedService(this.folder, this.link)
  }

  freeze(): void {
    this.service.signal('SIGSTOP')
  }

  thaw(): void {
    this.service.signal('SIGCONT')
  }

  async end(): Promise<void> {
    await this.service.end('SIGKILL')
    await this.link.cut()
  }

  /** Describes the state of the process, for the message of a failed test. */
  async state(): Promise<string> {
    const [asked] = await Promise.allSettled([this.ask('/health/ready/reads')])
    const said = asked.status === 'fulfilled' ? JSON.stringify(asked.value) : String(asked.reason)
    return [`${this.name}: ${said}`, ...this.service.lines.slice(-lastLines)].join('\n')
  }

  /** Sends a request. Rejects when no reply arrives. */
  async ask(path: string, { method = 'GET', body, headers = {} }: Asked = {}): Promise<Reply> {
    const response = await fetch(`${this.service.origin}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${apiKey}`,
        ...(body && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(answerMs),
    })
    return {
      status: response.status,
      position: Number(response.headers.get('position')),
      logTime: response.headers.get('log-time') ?? '',
      body: await response.json(),
    }
  }
}

function startedService(folder: string, link: StoreLink): Promise<StartedService> {
  return StartedService.start(folder, {
    STORE_URL: link.url,
    STORE_TIMEOUT_MS: String(storeTimeoutMs),
    READ_MODEL: './read-model.db',
    API_KEY: apiKey,
  })
}
