import type { Erasure } from '../../domain/erasure-receipts.js'
import { BackgroundLoop, type Pause } from '../background-loop.js'
import { reasonOf, type Log } from '../ports/log.js'
import { ErasureSteps, type ErasureStepParts } from './erasure-steps.js'
import { LedgerCatchUp } from './ledger-catch-up.js'
import { LocationChecks } from './location-checks.js'

export interface ErasureWorkerParts extends ErasureStepParts {
  readonly log: Log
  readonly pause: Pause
}

/** The pause between rounds while facts wait for their removal, in milliseconds. */
const busyPauseMs = 500
/** The pause between rounds when no facts wait for their removal, in milliseconds. */
const idlePauseMs = 5_000
/** The number of erasures whose locations are checked together. */
const checkedTogether = 200

/**
 * Advances every erasure until it is complete (`erasure-steps.ts`), whichever process began it. In
 * its first rounds, also erases the entities of the ledger that are not erased in the store
 * (`ledger-catch-up.ts`). Each process runs a worker.
 */
export class ErasureWorker {
  private readonly loop: BackgroundLoop
  private readonly checks = new LocationChecks()
  private readonly steps: ErasureSteps
  private readonly catchUp: LedgerCatchUp
  /** The reason of the last logged failure. Undefined after a round without failures. */
  private lastFailure: string | undefined
  private open: readonly Erasure[] = []
  private hasLedgerCaughtUp = false

  constructor(private readonly parts: ErasureWorkerParts) {
    this.loop = new BackgroundLoop(parts.pause)
    this.steps = new ErasureSteps(parts, this.loop.signal)
    this.catchUp = new LedgerCatchUp(parts, this.steps)
  }

  /**
   * Whether every entity of the ledger is erased in this store too. The service must not serve
   * requests until this is true.
   */
  get isReady(): boolean {
    return this.hasLedgerCaughtUp
  }

  /** The number of open erasures, and the time of the oldest request for one of them. */
  get status(): { readonly open: number; readonly oldest: string | undefined } {
    return { open: this.open.length, oldest: this.open[0]?.requestedAt }
  }

  /**
   * Starts the worker. Call it once. Resolves after the ledger was compared with the store, so that
   * `isReady` is known.
   */
  async start(): Promise<void> {
    this.hasLedgerCaughtUp = (await this.catchUp.missingFromStore()).length === 0
    this.loop.start(() => this.round())
  }

  /** Begins the next round now. */
  wake(): void {
    this.loop.wake()
  }

  stop(): Promise<void> {
    return this.loop.stop()
  }

  private async round(): Promise<number> {
    try {
      if (!this.hasLedgerCaughtUp) this.hasLedgerCaughtUp = await this.catchUp.eraseMissing()
      await this.advanceAll()
      this.lastFailure = undefined
    } catch (error) {
      this.failed(error)
    }
    const isBusy = !this.hasLedgerCaughtUp || this.open.some(({ removed }) => removed === undefined)
    return isBusy ? busyPauseMs : idlePauseMs
  }

  private failed(error: unknown): void {
    // Ignores an error that the stop of the worker caused.
    if (this.loop.signal.aborted) return
    const reason = reasonOf(error)
    if (reason !== this.lastFailure)
      this.parts.log.warn({ reason }, 'an erasure failed and will be retried')
    this.lastFailure = reason
  }

  /** Advances all open erasures. A failure for one erasure does not stop the others. */
  private async advanceAll(): Promise<void> {
    const { erasures, ledger } = this.parts
    const all = await erasures.read()
    this.open = all.open
    const failures: unknown[] = []
    await this.catchUp.copyToLedger(all).catch((error: unknown) => failures.push(error))
    const ledgerFailed = failures.length > 0
    for (const erasure of this.open) {
      if (this.loop.signal.aborted) return
      if (ledgerFailed && !ledger.entityIds.has(erasure.entityId)) continue
      await this.steps.advance(erasure).catch((error: unknown) => failures.push(error))
    }
    await this.checkDue()
    this.open = (await erasures.read()).open
    const open = new Set(this.open.map(({ id }) => id))
    this.checks.keep(open)
    this.steps.keep(open)
    if (failures.length > 0) throw failures[0]
  }

  private async checkDue(): Promise<void> {
    const { erasures, clock } = this.parts
    const now = () => clock.now().getTime()
    const { open } = await erasures.read()
    const due = open.filter((erasure) => this.checks.isDue(erasure, now()))
    for (let from = 0; from < due.length && !this.loop.signal.aborted; from += checkedTogether) {
      const some = due.slice(from, from + checkedTogether)
      await this.steps.check(some)
      for (const { id } of some) this.checks.checked(id, now())
    }
  }
}
