import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { killServices, StartedService, type Ending } from '../test/support/service-process.js'
import { BatchLoad } from './batch-load.js'
import type { FoundFact } from './found-facts.js'
import { killStarting } from './kill-starting.js'
import { Ledger } from './ledger.js'
import { Load, type LoadOptions } from './load.js'
import { runKey, bytesOf, type LoadRequest } from './requests.js'
import type { Random } from './random.js'
import { Readers } from './readers.js'
import type { Row } from './scenario.js'
import { Sender } from './sender.js'
import { hasGivenUp, signsOfCrash, signsOfCrashButLoss } from './signs-of-crash.js'
import type { StoreUnderTest } from './stores.js'
import { Target } from './target.js'

export interface RunOptions {
  readonly scenario: string
  readonly store: StoreUnderTest
  /** Which entities are this run's. */
  readonly entityPrefix: string
  /** Where the service's files are; a folder of the run's own unless given. */
  readonly folder?: string
  readonly env?: Readonly<Record<string, string>>
  /** Makes every request so much larger. */
  readonly padding?: string
  /** A service may give up, and is started again then: its store is made to fail. */
  readonly mayGiveUp?: boolean
}

export interface LoadForm extends Omit<
  LoadOptions,
  'ledger' | 'target' | 'entityOf' | 'newEntity' | 'upsertOf'
> {
  /** Each turn of so many creates an entity; none unless given. */
  readonly creationEvery?: number
  /** Each turn of so many upserts an entity; none unless given. */
  readonly upsertEvery?: number
}

const entities = 64
/** So many turns of upserts name one entity that is not there. */
const upsertsOfOne = 8
/** So many of the last lines of one that did not start are told. */
const lastLines = 5

/** One scenario over one store: the services that are started for it, and the account of its requests. */
export class Run {
  readonly target = new Target()
  readonly ledger: Ledger
  readonly folder: string
  /** Said in the row. */
  readonly notes: string[] = []
  /** Services that gave up, as they may, and were started again. */
  gaveUp = 0
  private readonly crashes: string[] = []
  private readonly ends = new Set<StartedService>()
  private generation = 0
  private created = 0
  private latest: Promise<StartedService> | undefined
  private breakOff: (error: Error) => void = () => undefined

  constructor(private readonly options: RunOptions) {
    this.ledger = new Ledger(options.padding)
    this.folder = options.folder ?? mkdtempSync(join(tmpdir(), 'dossier-run-'))
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
    return {
      STORE_URL: store.url(this.folder),
      READ_MODEL: './read-model.db',
      API_KEY: runKey,
      ...env,
    }
  }

  /**
   * Starts the program; senders find it from now on. `prefix`: a command that starts it. Throws
   * `NotStarted`.
   */
  start(prefix: readonly string[] = []): Promise<StartedService> {
    const starting = this.startOnce(prefix)
    this.latest = starting
    return starting
  }

  /** The service that was started last: another one than before, when that has given up. */
  current(): Promise<StartedService> {
    return this.latest ?? Promise.reject(new Error('no service was started'))
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

  load({ creationEvery, upsertEvery, ...form }: LoadForm): Load {
    const { ledger, target } = this
    const newEntity = (turn: number) => {
      if (creationEvery === undefined || turn % creationEvery !== 0) return undefined
      return this.newEntity()
    }
    const entityOf = (turn: number) => this.entity(turn)
    const upsertOf = (turn: number) => {
      if (upsertEvery === undefined || turn % upsertEvery !== 0) return undefined
      return this.upserted(turn / upsertEvery)
    }
    return new Load({ ...form, ledger, target, entityOf, newEntity, upsertOf })
  }

  /** Reads what was acknowledged, all the time. */
  readers(random: Random): Readers {
    return new Readers(this.target, this.ledger, random)
  }

  batches(form: { readonly senders: number; readonly items: number }): BatchLoad {
    const { ledger, target } = this
    // An entity is in a batch several times, so that the order of its items matters.
    const entityOf = (n: number) => this.entity(Math.floor(n / 4))
    const newEntity = () => this.newEntity()
    return new BatchLoad({ ...form, ledger, target, entityOf, newEntity })
  }

  /** Sends again, under the same keys, what was acknowledged: by a service that is gone, say. */
  repeatLatest(most: number): Promise<void> {
    return this.repeat(this.ledger.latestKeyed(most))
  }

  /** Sends requests again under their keys. */
  async repeat(requests: readonly LoadRequest[]): Promise<void> {
    const repeats = requests.map(async (request) => {
      const sender = new Sender(this.target)
      const exchange = await sender.exchange(bytesOf(request, this.ledger.padding))
      if (exchange.kind === 'answered') this.ledger.answered(request, exchange.reply)
      else if (!this.target.cutsExpected) this.ledger.remark('a repeat had no answer')
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
    const ending = await service.end('SIGTERM')
    if (ending.code !== 0 && !this.mayEnd(service, ending))
      this.crash(`a stop ended with ${String(ending.code ?? ending.signal)}`)
    return performance.now() - begun
  }

  /** Something happened that is none of what a service may do. */
  crash(text: string): void {
    this.crashes.push(text)
  }

  /** Creates one more entity, and resolves with its position: all that is stored by then lies before it. */
  async createOne(): Promise<bigint> {
    const entity = this.newEntity()
    const sender = new Sender(this.target)
    await this.create(sender, entity)
    sender.hangUp()
    const position = this.ledger.positionOf(entity)
    if (position === undefined) throw new Error('an entity was not stored')
    return position
  }

  /** What is stored of this run's entities, read without the service. */
  facts(): AsyncIterable<FoundFact> {
    const { store, entityPrefix } = this.options
    return store.facts(this.folder, entityPrefix)
  }

  /** To be called when every service has ended: reads what is stored, and settles the account. */
  async row(): Promise<Row> {
    const { scenario, store } = this.options
    const facts = this.asFarAsReadable(this.facts())
    const account = await this.ledger.settle(facts)
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

  /** Every other one is there; of those that are not, a few senders create the same. */
  private upserted(n: number): string {
    return n % 2 === 0
      ? this.entity(n)
      : `${this.options.entityPrefix}-upserted-${String(Math.floor(n / upsertsOfOne))}`
  }

  private newEntity(): string {
    return `${this.options.entityPrefix}-new-${String((this.created += 1))}`
  }

  private async create(sender: Sender, entity: string): Promise<void> {
    const request = this.ledger.make('entity', entity, true)
    for (;;) {
      const exchange = await sender.exchange(bytesOf(request, this.ledger.padding))
      if (exchange.kind === 'cut') this.ledger.unanswered(request)
      if (exchange.kind === 'answered') {
        const said = this.ledger.answered(request, exchange.reply)
        if (said === 'stored' || said === 'nonsense') return
      } else if (await this.target.isOver()) return
    }
  }

  private async startOnce(prefix: readonly string[]): Promise<StartedService> {
    const service = await StartedService.start(this.folder, this.env, prefix)
    this.watch(service)
    this.target.up(service.origin)
    return service
  }

  private watch(service: StartedService): void {
    void service.ended.then((ending) => {
      if (!this.ends.has(service)) this.endedByItself(service, ending)
      for (const line of this.signsOfCrash(service.lines)) this.crash(line)
    })
  }

  private endedByItself(service: StartedService, ending: Ending): void {
    if (!this.mayEnd(service, ending)) {
      const how = String(ending.code ?? ending.signal)
      this.breakOff(new Error(`the service ended by itself: ${how}`))
      return
    }
    this.gaveUp += 1
    this.target.down()
    this.start().catch(this.breakOff)
  }

  private mayEnd({ lines }: StartedService, ending: Ending): boolean {
    return this.options.mayGiveUp === true && hasGivenUp(ending, lines)
  }

  private signsOfCrash(lines: readonly string[]): readonly string[] {
    return this.options.mayGiveUp === true ? signsOfCrashButLoss(lines) : signsOfCrash(lines)
  }

  /** The facts; when they cannot be read to their end, those before, and a remark. */
  private async *asFarAsReadable(facts: AsyncIterable<FoundFact>): AsyncIterable<FoundFact> {
    try {
      yield* facts
    } catch (error) {
      this.ledger.remark(`the store cannot be read: ${String(error)}`)
    }
  }
}

/** Opens a run, does what it is told with it, and returns its row. It leaves nothing behind. */
export async function runWithFaults(
  options: RunOptions,
  body: (run: Run) => Promise<void>,
): Promise<Row> {
  const run = new Run(options)
  try {
    await run.act(body)
    return await run.row()
  } finally {
    await run.close()
  }
}
