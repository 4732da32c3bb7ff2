import { existsSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { attachStrace } from '../test/support/attach-strace.js'
import {
  commandUnderFault,
  detachTracer,
  failuresIn,
  InjectedFaults,
} from '../test/support/disk-faults.js'
import { limitFileSize } from '../test/support/limit-file-size.js'
import { NotStarted, type StartedService } from '../test/support/service-process.js'
import { damageIn } from './file-damage.js'
import { diskFault, type IoFault } from './io-faults.js'
import type { Load } from './load.js'
import type { Random } from './random.js'
import type { Run } from './run.js'
import { hasRefusedToStart } from './signs-of-crash.js'

/** The time that a fault waits for its system call, in milliseconds. */
const maxWaitMs = 3_000
/**
 * The time within which a service must store again, in milliseconds. Generous, because speed is not tested here.
 */
const maxRecoveryMs = 20_000
/** The number of requests that are repeated together. */
const repeats = 32
/** The range in which a partial write ends, in bytes. */
const roomBytes = 65_536

/** Runs rounds of one fault and collects the results. */
export class IoRounds {
  private failedCalls = 0
  private unfelt = 0
  private refusedStarts = 0
  private damaged = 0
  private maxRecovery = 0

  constructor(
    private readonly run: Run,
    private readonly fault: IoFault,
    private readonly database: string,
    private readonly load: Load,
    private readonly random: Random,
  ) {}

  /** Injects the fault once and removes it. Checks that all facts are there and that the service stores again. */
  async round(n: number): Promise<void> {
    await this.load.acknowledged(this.random.between(32, 96))
    switch (this.fault.moment) {
      case 'at start':
        await this.atStart(n)
        break
      case 'under load':
        await this.underLoad(n)
        break
      case 'at stop':
        await this.atStop(n)
        break
    }
    await this.recover()
    await this.run.repeatLatest(repeats)
    await this.run.repeat(this.run.ledger.someKeyed(repeats, this.random))
    for (const damage of damageIn(this.database)) {
      this.damaged += 1
      this.run.ledger.remark(`the file is damaged: ${damage}`)
    }
  }

  notes(rounds: number): readonly string[] {
    const { failedCalls, unfelt, refusedStarts, damaged, maxRecovery, load, run } = this
    const codes = [...load.codes].map(([code, count]) => `${String(count)} ${code}`).join(', ')
    return [
      `${String(rounds)} rounds, in ${String(unfelt)} of them no call was met; ${String(failedCalls)} calls failed`,
      `${String(refusedStarts)} starts refused, ${String(run.gaveUp)} services gave up and were started again, ${String(damaged)} findings of integrity_check`,
      `stored again after at most ${(maxRecovery / 1_000).toFixed(1)} s; answers: ${codes}`,
    ]
  }

  private async atStart(n: number): Promise<void> {
    const { run } = this
    // Restarts now and then, so that short and long logs are tested.
    if (n % 4 === 0) {
      await run.stop(await run.current())
      await run.start()
      await this.load.acknowledged(1)
    }
    await run.kill(await run.current())
    const trace = join(run.folder, 'trace')
    const fault = diskFault(this.fault, this.database, String(n))
    try {
      const service = await run.start(commandUnderFault(fault, trace))
      detachTracer(service.pid)
    } catch (error) {
      if (!(error instanceof NotStarted)) throw error
      this.judgeRefusal(error)
      await run.start()
    }
    this.count(failuresIn(trace))
    rmSync(trace)
  }

  private judgeRefusal({ ending, lines }: NotStarted): void {
    this.refusedStarts += 1
    if (hasRefusedToStart(ending, lines)) return
    this.run.crash(
      `a start ended with ${String(ending.code ?? ending.signal)}: ${lines.join('\n')}`,
    )
  }

  private async underLoad(n: number): Promise<void> {
    const { run, load } = this
    const before = { cuts: load.cuts, gaveUp: run.gaveUp }
    run.target.cutsExpected = true
    if (this.fault.calls.length === 0) await this.writeShort()
    else await this.inject(n)
    run.target.cutsExpected = false
    const recovered = await this.recover()
    if (recovered && load.cuts > before.cuts && run.gaveUp === before.gaveUp)
      run.ledger.remark('a connection was cut without an answer')
    await this.startAnew(n)
  }

  /** Restarts the service in two of three rounds, because its memory may differ from its files. */
  private async startAnew(n: number): Promise<void> {
    const { run } = this
    if (n % 3 === 0) return
    const service = await run.current()
    if (n % 3 === 1) await run.kill(service)
    else await this.stop(service)
    await run.start()
  }

  private async inject(n: number): Promise<void> {
    const service = await this.run.current()
    const faults = await InjectedFaults.into(
      service.pid,
      diskFault(this.fault, this.database, callsIn(n)),
    )
    const read = this.run.repeat(this.run.ledger.someKeyed(repeats, this.random))
    await Promise.race([faults.first, pause(maxWaitMs, undefined, { ref: false })])
    await this.load.everySenderHeard()
    await read
    await faults.release()
    this.count(faults.count)
  }

  private async writeShort(): Promise<void> {
    const service = await this.run.current()
    let failed = 0
    const watch = await attachStrace(service.pid, ['-e', 'trace=pwrite64'], (line) => {
      if (line.includes('EFBIG')) failed += 1
    })
    const log = `${this.database}-wal`
    const bytes = existsSync(log) ? statSync(log).size : 0
    limitFileSize(service.pid, this.random.between(Math.floor(bytes / 2), bytes + roomBytes))
    await Promise.race([this.load.nextRefusal(), pause(maxWaitMs, undefined, { ref: false })])
    await this.load.everySenderHeard()
    limitFileSize(service.pid, undefined)
    await watch.release()
    this.count(failed)
  }

  private async atStop(n: number): Promise<void> {
    const service = await this.run.current()
    // Waits for all senders, because the kernel cuts connections that the service has not accepted yet.
    await this.load.everySenderHeard()
    const first = this.fault.once === true ? 1 : Math.ceil(n / 2)
    const when = `${String(first)}${n % 2 === 0 ? '+' : ''}`
    const fault = diskFault(this.fault, this.database, when)
    const faults = await InjectedFaults.into(service.pid, fault)
    await this.stop(service)
    await faults.release()
    this.count(faults.count)
    await this.run.start()
  }

  private async stop(service: StartedService): Promise<void> {
    await this.load.everySenderHeard()
    await this.run.stop(service)
  }

  /** Returns whether the service stores again by itself. Otherwise starts another service. */
  private async recover(): Promise<boolean> {
    const begun = performance.now()
    const stored = this.load.nextStored().then(() => true)
    if (await Promise.race([stored, pause(maxRecoveryMs, false, { ref: false })])) {
      this.maxRecovery = Math.max(this.maxRecovery, performance.now() - begun)
      return true
    }
    this.run.ledger.remark('nothing was stored in the 20 s after the fault')
    await this.run.kill(await this.run.current())
    await this.run.start()
    return false
  }

  private count(failedCalls: number): void {
    this.failedCalls += failedCalls
    if (failedCalls === 0) this.unfelt += 1
  }
}

/** Selects the failing calls of a round: one, several, or all from a given one on. */
function callsIn(round: number): string {
  const first = String(round)
  if (round % 3 === 1) return first
  return round % 3 === 2 ? `${first}..${String(round + 7)}` : `${first}+`
}
