import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { killServices, StartedService } from '../test/support/service-process.js'
import { killStarting } from './kill-starting.js'
import { Ledger } from './ledger.js'
import { Load, type LoadOptions } from './load.js'
import { drillKey, bytesOf } from './requests.js'
import type { Row } from './scenario.js'
import { Sender } from './sender.js'
import { signsOfCrash } from './signs-of-crash.js'
import type { DrillStore } from './stores.js'
import { Target } from './target.js'

export interface RunOptions {
  readonly scenario: string
  readonly store: DrillStore
  /** Which entities are this run's. */
  readonly entityPrefix: string
  /** Where the service's files are; a folder of the run's own unless given. */
  readonly folder?: string
  readonly env?: Readonly<Record<string, string>>
  /** Makes every request so much larger. */
  readonly padding?: string
}

export type LoadForm = Omit<LoadOptions, 'ledger' | 'target' | 'entityOf'>

const entities = 64
/** So many of the last lines of one that did not start are told. */
const lastLines = 5

/** One scenario over one store: the services that are started for it, and the account of its requests. */
export class Run {
  readonly target = new Target()
  readonly ledger: Ledger
  readonly folder: string
  /** Said in the row. */
  readonly notes: string[] = []
  private readonly crashes: string[] = []
  private readonly ends = new Set<StartedService>()
  private generation = 0
  private breakOff: (error: Error) => void = () => undefined

  constructor(private readonly options: RunOptions) {
    this.ledger = new Ledger(options.padding)
    this.folder = options.folder ?? mkdtempSync(join(tmpdir(), 'dossier-drill-'))
  }

  /** Does as it is told with the run, unless a service ends meanwhile that nobody told to. */
  async act(body: (run: Run) => Promise<void>): Promise<void> {
    const broken = new Promise<never>((_, reject) => {
      this.breakOff = reject
    })
    try {
      await Promise.race([body(this), broken])
    } catch (error) {
      this.crash(error instanceof Error ? error.message : String(error))
      this.target.close()
      killServices()
    }
  }

  /** What a service of this run is started with. */
  get env(): Readonly<Record<string, string>> {
    const { store, env } = this.options
    return { STORE_URL: store.url(this.folder), API_KEY: drillKey, ...env }
  }

  /** Starts the program; senders find it from now on. */
  async start(): Promise<StartedService> {
    const service = await StartedService.start(this.folder, this.env)
    this.watch(service)
    this.target.up(service.origin)
    return service
  }

  /** Makes entities of their own for what comes next, under keys. */
  async nextEntities(): Promise<void> {
    const senders = Array.from({ length: 8 }, () => new Sender(this.target))
    const each = senders.map(async (sender, first) => {
      for (let n = first; n < entities; n += senders.length)
        await this.create(sender, this.entity(n, this.generation + 1))
      sender.hangUp()
    })
    await Promise.all(each)
    // Senders under way use the entities that are there until then.
    this.generation += 1
  }

  load(form: LoadForm): Load {
    const { ledger, target } = this
    return new Load({ ...form, ledger, target, entityOf: (turn) => this.entity(turn) })
  }

  /** Sends again, under the same keys, what was acknowledged: by a service that is gone, say. */
  async repeatLatest(most: number): Promise<void> {
    const repeats = this.ledger.latestKeyed(most).map(async (request) => {
      const sender = new Sender(this.target)
      const exchange = await sender.exchange(bytesOf(request, this.ledger.padding))
      if (exchange.kind === 'answered') this.ledger.answered(request, exchange.reply)
      else this.ledger.remark('a repeat had no answer')
      sender.hangUp()
    })
    await Promise.all(repeats)
  }

  async kill(service: StartedService): Promise<void> {
    this.target.down()
    this.ends.add(service)
    await service.end('SIGKILL')
  }

  /** Starts the program and kills it after so many milliseconds; that it ends sooner is a crash. */
  async killAtStart(afterMs: number): Promise<void> {
    const { code, signal, lines } = await killStarting(this.folder, this.env, afterMs)
    if (signal !== 'SIGKILL') {
      const last = lines.slice(-lastLines).join('\n')
      this.crash(`a start ended by itself with ${String(code ?? signal)}:\n${last}`)
    }
    for (const line of signsOfCrash(lines)) this.crash(line)
  }

  /** Stops it as an operator does, which must end it with 0. Resolves with how long that took. */
  async stop(service: StartedService): Promise<number> {
    const begun = performance.now()
    this.ends.add(service)
    const { code, signal } = await service.end('SIGTERM')
    if (code !== 0) this.crash(`a stop ended with ${String(code ?? signal)}`)
    return performance.now() - begun
  }

  /** To be called when every service has ended: reads what is stored, and settles the account. */
  async row(): Promise<Row> {
    const { scenario, store, entityPrefix } = this.options
    const account = await this.ledger.settle(store.facts(this.folder, entityPrefix))
    const faults = [...this.crashes.slice(0, 20), ...account.faults]
    const { notes, crashes } = this
    return { scenario, store: store.label, ...account, crashed: crashes.length, notes, faults }
  }

  async close(): Promise<void> {
    this.target.close()
    await this.options.store.close()
    if (this.options.folder === undefined) rmSync(this.folder, { recursive: true, force: true })
  }

  /** One of the entities that there are now. */
  entity(n: number, generation = this.generation): string {
    return `${this.options.entityPrefix}-${String(generation)}-${String(n % entities)}`
  }

  private async create(sender: Sender, entity: string): Promise<void> {
    const request = this.ledger.make('entity', entity, true)
    for (;;) {
      const exchange = await sender.exchange(bytesOf(request, this.ledger.padding))
      if (exchange.kind === 'cut') this.ledger.unanswered(request)
      if (exchange.kind === 'answered') {
        if (this.ledger.answered(request, exchange.reply) === 'stored') return
      } else if (await this.target.isOver()) return
    }
  }

  private watch(service: StartedService): void {
    void service.ended.then(({ code, signal }) => {
      if (!this.ends.has(service))
        this.breakOff(new Error(`the service ended by itself: ${String(code ?? signal)}`))
      for (const line of signsOfCrash(service.lines)) this.crash(line)
    })
  }

  private crash(text: string): void {
    this.crashes.push(text)
  }
}

/** Opens a run, does what it is told with it, and returns its row. It leaves nothing behind. */
export async function drill(options: RunOptions, body: (run: Run) => Promise<void>): Promise<Row> {
  const run = new Run(options)
  try {
    await run.act(body)
    return await run.row()
  } finally {
    await run.close()
  }
}
