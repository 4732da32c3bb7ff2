import { isSamePlace, type Erasure } from '../../domain/erasure-receipts.js'
import type { ErasureFact, ErasurePlaceChecked } from '../../domain/erasures.js'
import { timestampOf } from '../../domain/timestamp.js'
import { BackgroundLoop, type Pause } from '../background-loop.js'
import { reasonOf, type Log } from '../ports/log.js'
import { addToLedger, closeStream, type ErasingParts } from './erase-entity.js'
import { subjectOf } from './erasure-hashes.js'
import type { Erasures } from './erasure-log.js'
import type { ErasableStreams, ErasurePlace } from './ports/erasable-streams.js'
import type { ErasureProgress } from './ports/erasure-queries.js'
import { erasedStreamOf, LocationChecks } from './location-checks.js'
import {
  isRemovable,
  removeCounted,
  type CountedRemoval,
  type CountingParts,
} from './remove-counted.js'

export interface ErasureWorkerParts extends ErasingParts, CountingParts {
  readonly streams: ErasableStreams
  /**
   * Asks the read model about an entity. Undefined when this process has no read model. Another process then
   * removes the facts.
   */
  readonly erasedEntity:
    | ((entityId: string, known: 'all' | 'so far') => Promise<ErasureProgress>)
    | undefined
  readonly log: Log
  readonly pause: Pause
}

/** The pause between steps while facts wait for their removal. */
const busyPauseMs = 500
/** The pause between steps when no facts wait for their removal. */
const idlePauseMs = 5_000
/** How many erasures one group of checks has. */
const checkedTogether = 200

/**
 * Advances every erasure to its end, whichever process began it:
 *
 * 1. Closes the stream, if that has not happened.
 * 2. Removes the facts, once the read model has forgotten the entity and has published its leaves.
 * 3. Records what was removed.
 * 4. Checks every location where the facts were.
 *
 * Each process runs a worker. Every step can be repeated, and exact revisions record each result once.
 */
export class ErasureWorker {
  private readonly loop: BackgroundLoop
  private readonly checks = new LocationChecks()
  /** The ledger has the first `count` of these erasures. */
  private inLedger: { readonly count: number; readonly erasures?: Erasures } = { count: 0 }
  /** By erasure id: a position at or after the `EntityErased` of an erasure whose facts are not removed yet. */
  private readonly closed = new Map<string, string>()
  /** The last failure, which was logged. Undefined after a step without failures. */
  private lastFailure: string | undefined
  private open: readonly Erasure[] = []
  private hasLedgerCaughtUp = false

  constructor(private readonly parts: ErasureWorkerParts) {
    this.loop = new BackgroundLoop(parts.pause)
  }

  /** Whether every entity of the ledger is erased in this store too. Nothing may be served before. */
  get isReady(): boolean {
    return this.hasLedgerCaughtUp
  }

  /** How many erasures have not ended, and when the oldest of these was requested. */
  get status(): { readonly open: number; readonly oldest: string | undefined } {
    return { open: this.open.length, oldest: this.open[0]?.requestedAt }
  }

  /** Call once. Resolves when `isReady` is known: it compares the ledger with the store. */
  async start(): Promise<void> {
    this.hasLedgerCaughtUp = (await this.missingFromStore()).length === 0
    this.loop.start(() => this.step())
  }

  /** Begins the next step now. */
  wake(): void {
    this.loop.wake()
  }

  stop(): Promise<void> {
    return this.loop.stop()
  }

  private async step(): Promise<number> {
    try {
      if (!this.hasLedgerCaughtUp) await this.eraseMissing()
      await this.advanceAll()
      this.lastFailure = undefined
    } catch (error) {
      this.failed(error)
    }
    const isBusy = !this.hasLedgerCaughtUp || this.open.some(({ removed }) => removed === undefined)
    return isBusy ? busyPauseMs : idlePauseMs
  }

  private failed(error: unknown): void {
    // A stop interrupts the step: errors after it come from the stop itself.
    if (this.loop.signal.aborted) return
    const reason = reasonOf(error)
    if (reason !== this.lastFailure)
      this.parts.log.warn({ reason }, 'erasures do not go on for now')
    this.lastFailure = reason
  }

  /** A failure for one erasure does not stop the others. */
  private async advanceAll(): Promise<void> {
    const { erasures, ledger } = this.parts
    const all = await erasures.read()
    this.open = all.open
    const failures: unknown[] = []
    await this.copyToLedger(all).catch((error: unknown) => failures.push(error))
    const ledgerFailed = failures.length > 0
    for (const erasure of this.open) {
      if (this.loop.signal.aborted) return
      if (ledgerFailed && !ledger.entityIds.has(erasure.entityId)) continue
      await this.advance(erasure).catch((error: unknown) => failures.push(error))
    }
    const due = (await erasures.read()).open.filter((erasure) =>
      this.checks.isDue(erasure, this.now()),
    )
    for (let from = 0; from < due.length && !this.loop.signal.aborted; from += checkedTogether) {
      await this.checkLocations(due.slice(from, from + checkedTogether))
    }
    this.open = (await erasures.read()).open
    this.forgetEnded()
    if (failures.length > 0) throw failures[0]
  }

  private async copyToLedger(all: Erasures): Promise<void> {
    const from = this.inLedger.erasures === all ? this.inLedger.count : 0
    const added = all.page(from, Infinity).map(({ entityId }) => entityId)
    await addToLedger(this.parts.ledger, added)
    this.inLedger = { count: from + added.length, erasures: all }
  }

  private forgetEnded(): void {
    const open = new Set(this.open.map(({ id }) => id))
    this.checks.keep(open)
    for (const id of this.closed.keys()) if (!open.has(id)) this.closed.delete(id)
  }

  private async advance(erasure: Erasure): Promise<void> {
    if (erasure.removed !== undefined) return
    const fact = await this.remove(erasure)
    if (fact === undefined) return
    await this.record(erasure, ({ removed }) => removed === undefined, fact)
  }

  private async checkLocations(erasures: readonly Erasure[]): Promise<void> {
    const checking = erasures.map(async (erasure) => {
      const locations = await this.parts.streams.check(erasedStreamOf(erasure), this.loop.signal)
      this.checks.checked(erasure.id, this.now())
      return { erasure, locations }
    })
    for (const { erasure, locations } of await Promise.all(checking)) {
      await this.recordLocations(erasure, locations)
    }
  }

  /** Removes the facts. Returns the data of the receipt, or undefined when the removal has not ended. */
  private async remove(erasure: Erasure): Promise<Removed | undefined> {
    const { clock } = this.parts
    const { entityId } = erasure
    const seen = await this.readProgress(entityId)
    if (seen === undefined) return undefined
    const position = seen.position ?? this.closedUnseen(erasure, seen)
    if (position === undefined) {
      await this.close(erasure, seen.externalId)
      return undefined
    }
    if (!isRemovable(seen)) return undefined
    const closing = { ...erasure, closedAt: position }
    const removed = await removeCounted(this.parts, closing, seen, this.loop.signal)
    if (removed === undefined) return undefined
    if (seen.position !== undefined && !seen.isFollowed) {
      await this.storeFollowingFact(erasure, position, removed)
      return undefined
    }
    const closedAt = { at: seen.erasedAt ?? erasure.requestedAt, position }
    // The removed facts may have moved log time. With this time, log time does not go back.
    const at = timestampOf(new Date(Math.max(clock.now().getTime(), seen.logTime)))
    const { memberships } = seen
    const data = { erasureId: erasure.id, entityId, closedAt, ...removed, memberships, at }
    return { type: 'ErasedFactsRemoved', data }
  }

  /**
   * Asks the read model how far it has applied the erasure. SQLite keeps positions, so removal there does not
   * have to wait for a lagging read model. Returns undefined when this process has no read model.
   */
  private async readProgress(entityId: string): Promise<ErasureProgress | undefined> {
    const { erasedEntity, streams } = this.parts
    const soFar = streams.keepsPositions ? await erasedEntity?.(entityId, 'so far') : undefined
    const isSeen = soFar?.position !== undefined || soFar?.externalId !== undefined
    return isSeen ? soFar : erasedEntity?.(entityId, 'all')
  }

  /**
   * A position at or after an `EntityErased` that the read model will never apply. Either the store removed it
   * before the read model reached it, or a copy of the store omitted the entity.
   */
  private closedUnseen(
    { id }: Erasure,
    { externalId, knownTo }: ErasureProgress,
  ): string | undefined {
    const closed = externalId === undefined ? String(knownTo) : this.closed.get(id)
    return closed !== undefined && Number(closed) <= knownTo ? closed : undefined
  }

  /**
   * Records the locations, so that a fact that stays is stored after the `EntityErased`. Only then is it known
   * which removed facts moved log time.
   */
  private async storeFollowingFact(
    erasure: Erasure,
    closedAt: string,
    { positions }: CountedRemoval,
  ): Promise<void> {
    const { entityId } = erasure
    const erased = { entityId, closedAt, ...(positions && { positions }) }
    await this.recordLocations(erasure, await this.parts.streams.check(erased, this.loop.signal))
  }

  private async close(erasure: Erasure, externalId: string | undefined): Promise<void> {
    if (externalId === undefined) return
    const { streams } = this.parts
    const { position } = await closeStream(this.parts, streams, { erasure, externalId })
    this.closed.set(erasure.id, position)
  }

  /**
   * Records the states that changed, in one append. Purged locations come last, because the erasure has to stay
   * open until all are recorded.
   */
  private async recordLocations(
    erasure: Erasure,
    locations: readonly ErasurePlace[],
  ): Promise<void> {
    const at = timestampOf(this.parts.clock.now())
    const isPurged = ({ state }: ErasurePlace) => Number(state === 'purged')
    const ordered = locations.toSorted((left, right) => isPurged(left) - isPurged(right))
    const facts = ordered.map((location): ErasurePlaceChecked => {
      const data = { erasureId: erasure.id, ...location, at }
      return { id: this.parts.ids.next(), type: 'ErasurePlaceChecked', data }
    })
    await this.parts.erasures.append(erasure.requestId, (all) => ({
      fact: facts.filter(({ data }) => {
        const before = all.get(erasure.id)?.places.find((one) => isSamePlace(one, data))
        return before?.state !== data.state || before.for !== data.for
      }),
    }))
  }

  private async record(
    { requestId, id: erasureId }: Erasure,
    isNew: (erasure: Erasure) => boolean,
    fact: Removed,
  ): Promise<void> {
    const recorded: ErasureFact = { id: this.parts.ids.next(), ...fact }
    await this.parts.erasures.append(requestId, (all) => {
      const erasure = all.get(erasureId)
      return { fact: erasure !== undefined && isNew(erasure) ? recorded : undefined }
    })
  }

  /** Returns the entities of the ledger whose erasure is not in the store, or has not removed their facts. */
  private async missingFromStore(): Promise<readonly string[]> {
    const { ledger, erasures } = this.parts
    if (ledger.entityIds.size === 0) return []
    const all = await erasures.read()
    return [...ledger.entityIds].filter((id) => all.ofEntity(id)?.removed === undefined)
  }

  /**
   * Erases the entities that the ledger has and the store does not. The store was restored from an older copy,
   * or a process ended before it closed the stream.
   */
  private async eraseMissing(): Promise<void> {
    const { erasedEntity, erasures, ids, clock, log, streams } = this.parts
    const missing = await this.missingFromStore()
    if (erasedEntity === undefined) {
      log.warn(
        { entities: missing.length },
        'the ledger has erasures that may be missing in the store; a process with a read model repeats them',
      )
      this.hasLedgerCaughtUp = true
      return
    }
    for (const entityId of missing) {
      const { externalId, position } = await erasedEntity(entityId, 'all')
      if (externalId === undefined || position !== undefined) continue
      const at = timestampOf(clock.now())
      const id = ids.next()
      const subject = subjectOf(id, externalId, streams)
      const data = { entityId, suppress: true, recipients: [], ...subject, at }
      const { state: all } = await erasures.append(id, (recorded) =>
        recorded.ofEntity(entityId) === undefined
          ? { fact: { id, type: 'EntityErasureRecorded', data } }
          : {},
      )
      const erasure = all.ofEntity(entityId)
      if (erasure !== undefined) await this.close(erasure, externalId)
      log.info(
        { entityId, erasure: erasure?.id },
        'erased again, because the ledger has this entity',
      )
    }
    for (const entityId of missing) {
      const { externalId } = await erasedEntity(entityId, 'all')
      if (externalId !== undefined) return
    }
    this.hasLedgerCaughtUp = true
  }

  private now(): number {
    return this.parts.clock.now().getTime()
  }
}

type Removed = Pick<Extract<ErasureFact, { type: 'ErasedFactsRemoved' }>, 'type' | 'data'>
