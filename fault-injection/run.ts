import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { killServices, StartedService, type Ending } from '../test/support/service-process.js'
import { BatchLoad, type BatchLoadOptions } from './batch-load.js'
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
  /** The prefix of the external ids of this run's entities. */
  readonly entityPrefix: string
  /** The folder of the service's files. Default: a folder of the run. */
  readonly folder?: string
  readonly env?: Readonly<Record<string, string>>
  /** Text that is added to every request to make it larger. */
  readonly padding?: string
  /** Whether the service may end itself, because its store is made to fail. The run then starts it again. */
  readonly mayGiveUp?: boolean
}

export interface LoadForm extends Omit<
  LoadOptions,
  'ledger' | 'target' | 'entityOf' | 'newEntity' | 'upsertOf'
> {
  /** One in this many requests creates an entity. Default: none. */
  readonly creationEvery?: number
  /** One in this many requests upserts an entity. Default: none. */
  readonly upsertEvery?: number
}

const entities = 64
/** The number of consecutive upserts of one missing entity. */
const upsertsOfOne = 8
/** The number of log lines to report for a service that did not start. */
const lastLines = 5

/** Runs one scenario over one store: starts its services, and records its requests in the ledger. */
export class Run {
  readonly target = new Target()
  readonly ledger: Ledger
  readonly folder: string
  /** Remarks for the row of this run. */
  readonly notes: string[] = []
  /** The number of services that ended themselves, as allowed, and were started again. */
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

  /** Runs `body`. Rejects when a service ends unexpectedly in the meantime. */
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

  /** The environment of the services of this run. */
  get env(): Readonly<Record<string, string>> {
    const { store, env } = this.options
    return {
      STORE_URL: store.url(this.folder),
      READ_MODEL: './read-model.db',
      API_KEY: runKey,
      VOID: 'on',
      ...env,
    }
  }

  /**
   * Starts the program, and directs the senders to it. `prefix` is a command that starts the program. Throws
   * `NotStarted`.
   */
  start(prefix: readonly string[] = []): Promise<StartedService> {
    const starting = this.startOnce(prefix)
    this.latest = starting
    return starting
  }

  /** Returns the latest service. It may have been started after an earlier one ended itself. */
  current(): Promise<StartedService> {
    return this.latest ?? Promise.reject(new Error('no service was started'))
  }

  /** Creates new entities for the following requests. */
  async nextEntities(): Promise<void> {
    const senders = Array.from({ length: 8 }, () => new Sender(this.target))
    const each = senders.map(async (sender, first) => {
      for (let n = first; n < entities; n += senders.length)
        await this.create(sender, this.entity(n, this.generation + 1))
      sender.hangUp()
    })
    await Promise.all(each)
    // Senders use the earlier entities until the new ones exist.
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

  /** Starts reading acknowledged entities continuously. */
  readers(random: Random): Readers {
    return new Readers(this.target, this.ledger, random)
  }

  batches(form: Pick<BatchLoadOptions, 'senders' | 'items' | 'voidEvery'>): BatchLoad {
    const { ledger, target } = this
    // Each entity occurs several times in a batch, so that the order of items matters.
    const entityOf = (n: number) => this.entity(Math.floor(n / 4))
    const newEntity = () => this.newEntity()
    return new BatchLoad({ ...form, ledger, target, entityOf, newEntity })
  }

  /** Repeats the latest acknowledged requests with their idempotency keys, for example after a kill. */
  repeatLatest(most: number): Promise<void> {
    return this.repeat(this.ledger.latestKeyed(most))
  }

  /** Repeats requests with their idempotency keys. */
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

  /** Starts the program and kills it after `afterMs`. An earlier end is recorded as a crash. */
  async killAtStart(afterMs: number): Promise<void> {
    const { code, signal, lines } = await killStarting(this.folder, this.env, afterMs)
    if (signal !== 'SIGKILL') {
      const last = lines.slice(-lastLines).join('\n')
      this.crash(`a start ended by itself with ${String(code ?? signal)}:\n${last}`)
    }
    for (const line of signsOfCrash(lines)) this.crash(line)
  }

  /** Stops the service like an operator. The exit code must be 0. Resolves with the duration in milliseconds. */
  async stop(service: StartedService): Promise<number> {
    const begun = performance.now()
    this.ends.add(service)
    const ending = await service.end('SIGTERM')
    if (ending.code !== 0 && !this.mayEnd(service, ending))
      this.crash(`a stop ended with ${String(ending.code ?? ending.signal)}`)
    return performance.now() - begun
  }

  /** Records an event that must never happen. */
  crash(text: string): void {
    this.crashes.push(text)
  }

  /** Creates one more entity and resolves with its position. All facts stored so far have lower positions. */
  async createOne(): Promise<bigint> {
    const entity = this.newEntity()
    const sender = new Sender(this.target)
    await this.create(sender, entity)
    sender.hangUp()
    const position = this.ledger.positionOf(entity)
    if (position === undefined) throw new Error('an entity was not stored')
    return position
  }

  /** Yields the stored facts of this run's entities, read without the service. */
  facts(): AsyncIterable<FoundFact> {
    const { store, entityPrefix } = this.options
    return store.facts(this.folder, entityPrefix)
  }

  /** Reads the stored facts and completes the account. Must be called when every service has ended. */
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

  /** Returns one of the current entities. */
  entity(n: number, generation = this.generation): string {
    return `${this.options.entityPrefix}-${String(generation)}-${String(n % entities)}`
  }

  /** Returns the entity of an upsert. Every other one exists; several senders create each missing one. */
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

  /** Yields the facts. When they become unreadable, records that and ends. */
  private async *asFarAsReadable(facts: AsyncIterable<FoundFact>): AsyncIterable<FoundFact> {
    try {
      yield* facts
    } catch (error) {
      this.ledger.remark(`the store cannot be read: ${String(error)}`)
    }
  }
}

/** Creates a run, executes `body` and returns the row of results. Removes all files afterwards. */
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
