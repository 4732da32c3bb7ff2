import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { StartedService } from '../test/support/service-process.js'
import { Account } from './fuzz/account.js'
import { afterwards } from './fuzz/afterwards.js'
import { complaintsIn } from './fuzz/complaints-in.js'
import { fuzzKeys, writeKeysFile } from './fuzz/fuzz-keys.js'
import { Judge } from './fuzz/judge.js'
import { play } from './fuzz/play.js'
import { count, type FuzzReport, type Problem } from './fuzz/report.js'
import { scenarios, type Scenario } from './fuzz/scenarios.js'
import { storedRows } from './fuzz/stored-rows.js'

export interface FuzzOptions {
  /**
   * The seed of the random scenarios. Equal seeds produce equal scenarios, whatever the number of connections.
   */
  readonly seed: number
  /** The number of requests after which the run stops. */
  readonly requests?: number
  /** The number of seconds after which the run stops. */
  readonly seconds?: number
  /** The number of the only scenario to run. Undefined: all scenarios. */
  readonly scenario?: number
  /** The number of scenarios that run at the same time. Each has its own connection. */
  readonly connections?: number
  readonly store?: 'sqlite' | 'memory'
  /** Called now and then with the progress of the run. */
  readonly progress?: (requests: number, seconds: number) => void
}

const bodyLimit = 262_144
/** The most problems to report. Further problems usually repeat the first ones. */
const maxProblems = 10
const shownBytes = 3_000

/**
 * Starts a service, sends generated requests, and checks every response against the HTTP contract. Afterwards ends
 * the service and removes its files. Throws when the service does not start.
 */
export async function fuzz(options: FuzzOptions): Promise<FuzzReport> {
  const folder = mkdtempSync(join(tmpdir(), 'dossier-fuzz-'))
  try {
    writeKeysFile(folder)
    const file = join(folder, 'data', 'dossier.db')
    const memory = options.store === 'memory'
    const service = await StartedService.start(folder, {
      API_KEY: fuzzKeys.write,
      STORE_URL: memory ? 'memory:' : `sqlite:${file}`,
      BODY_LIMIT: String(bodyLimit),
      // A long timeout, because a slow response of a busy machine is not a fault.
      STORE_TIMEOUT_MS: '60000',
    })
    const run = new Run(options, service)
    try {
      await run.all()
    } finally {
      await run.stop()
    }
    return run.report(memory ? undefined : file)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

class Run {
  private readonly account = new Account()
  private readonly statuses: Record<string, number> = {}
  private readonly kinds: Record<string, number> = {}
  private readonly problems: Problem[] = []
  private readonly begun = performance.now()
  private next: number
  private requests = 0
  private told = 0

  constructor(
    private readonly options: FuzzOptions,
    private readonly service: StartedService,
  ) {
    this.next = options.scenario ?? 0
  }

  async all(): Promise<void> {
    const lanes = this.options.connections ?? 4
    await Promise.all(Array.from({ length: lanes }, () => this.lane()))
    await this.noting(undefined, () => afterwards(this.service, this.account))
  }

  async stop(): Promise<void> {
    const { code, signal } = await this.service.end()
    if (code !== 0) this.add(undefined, `the service ended with ${String(code ?? signal)}`)
    for (const line of complaintsIn(this.service.lines)) this.add(undefined, `in its log: ${line}`)
    const secrets = [fuzzKeys.write, fuzzKeys.read]
    const leak = this.service.lines.some((line) => secrets.some((secret) => line.includes(secret)))
    if (leak) this.add(undefined, 'a key in its log')
  }

  report(file: string | undefined): FuzzReport {
    const rows = file === undefined ? undefined : storedRows(file)
    if (rows !== undefined) {
      for (const one of this.account.differences(rows)) this.add(undefined, one)
    }
    const { seed, scenario = 0, store = 'sqlite' } = this.options
    const scenarios = this.next - scenario
    return {
      seed,
      store,
      scenarios,
      requests: this.requests,
      seconds: this.seconds,
      statuses: this.statuses,
      kinds: this.kinds,
      acknowledged: this.account.acknowledged.size,
      replayed: this.account.replayed,
      stored: rows?.length,
      problems: this.problems,
    }
  }

  private get seconds(): number {
    return (performance.now() - this.begun) / 1_000
  }

  private async lane(): Promise<void> {
    while (this.goesOn()) {
      const at = this.next
      this.next += 1
      const scenario = this.scenario(at)
      this.requests += scenario.requests.length
      for (const { kind } of scenario.requests) count(this.kinds, kind)
      await this.playOne(at, scenario)
    }
  }

  private goesOn(): boolean {
    const { requests, seconds, scenario, progress } = this.options
    if (this.seconds >= this.told + 5) {
      this.told = this.seconds
      progress?.(this.requests, this.seconds)
    }
    if (!this.service.runs || this.problems.length >= maxProblems) return false
    if (scenario !== undefined) return this.next === scenario
    return this.requests < (requests ?? Infinity) && this.seconds < (seconds ?? Infinity)
  }

  private scenario(at: number): Scenario {
    const { seed } = this.options
    const tag = `f${String(seed)}-${String(at)}`
    const setting = { keys: fuzzKeys, bodyLimit }
    const own = (Math.imul(seed, 0x9e3779b1) + Math.imul(at, 0x85ebca6b)) | 0
    const [scenario] = fc.sample(scenarios(tag, setting), { seed: own, numRuns: 1 })
    if (scenario === undefined) throw new TypeError('no scenario')
    return scenario
  }

  private async playOne(at: number, scenario: Scenario): Promise<void> {
    const judge = new Judge(this.account, [fuzzKeys.write, fuzzKeys.read])
    const stage = { port: this.service.port, judge, account: this.account }
    const { statuses, wrong } = await play(scenario, stage)
    for (const status of statuses) count(this.statuses, String(status))
    if (wrong === undefined) return
    const { kind, bytes } = wrong.request ?? { kind: 'none', bytes: Buffer.alloc(0) }
    const text = JSON.stringify(bytes.toString('latin1', 0, shownBytes))
    const cut = bytes.length > shownBytes ? ` and ${String(bytes.length - shownBytes)} bytes` : ''
    this.add(at, `${kind}: ${wrong.what}`, text + cut)
  }

  private async noting(scenario: number | undefined, act: () => Promise<void>): Promise<void> {
    try {
      await act()
    } catch (error) {
      this.add(scenario, error instanceof Error ? error.message : String(error))
    }
  }

  private add(scenario: number | undefined, what: string, request?: string): void {
    const shown = request === undefined ? {} : { request }
    this.problems.push({ scenario, what, after: this.requests, ...shown })
  }
}
