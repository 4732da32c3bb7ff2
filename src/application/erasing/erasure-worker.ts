import { isSamePlace, type Erasure } from '../../domain/erasure-receipts.js'
import type { ErasureFact, ErasurePlaceChecked } from '../../domain/erasures.js'
import { timestampOf } from '../../domain/timestamp.js'
import { BackgroundLoop, type Pause } from '../background-loop.js'
import { reasonOf, type Log } from '../ports/log.js'
import { addToLedger, closeStream, type ErasingParts } from './erase-entity.js'
import { subjectOf } from './erasure-hashes.js'
import type { Erasures } from './erasure-log.js'
import type { ErasableStreams, ErasedPerson, ErasurePlace } from './ports/erasable-streams.js'
import type { ErasedEntity } from './ports/erasure-queries.js'
import { PlaceLooks } from './place-looks.js'
import { removeCounted, type CountedRemoval, type CountingParts } from './remove-counted.js'

export interface ErasureWorkerParts extends ErasingParts, CountingParts {
  readonly streams: ErasableStreams
  /** What the read model says; undefined where it is off: another process removes then. */
  readonly erasedEntity:
    | ((entityId: string, known: 'all' | 'so far') => Promise<ErasedEntity & KnownTo>)
    | undefined
  readonly log: Log
  readonly pause: Pause
}

interface KnownTo {
  /** The position up to which the read model knew the log. */
  readonly knownTo: number
  /** Log time there, in milliseconds since 1970. */
  readonly logTime: number
}

/** How often it looks, in milliseconds: while something is to be removed, and else. */
const soonMs = 500
const laterMs = 5_000
/** Erasures whose places are looked at at once. */
const checkedTogether = 200

/**
 * Carries every erasure to its end, whoever began it: closes what is recorded and not closed; removes the
 * facts, once the read model has none of them and the log has all that she left; and looks at the places.
 * Each process does it; each step can be repeated, and exact revisions record each once.
 */
export class ErasureWorker {
  private readonly loop: BackgroundLoop
  private readonly looks = new PlaceLooks()
  /** How many erasures, from the first one on, the ledger has; and which erasures these are. */
  private inLedger: { readonly count: number; readonly erasures?: Erasures } = { count: 0 }
  /** Where the streams of erasures that are not removed were closed, at the latest. */
  private readonly closed = new Map<string, string>()
  private trouble: string | undefined
  private open: readonly Erasure[] = []
  private isWhole = false

  constructor(private readonly parts: ErasureWorkerParts) {
    this.loop = new BackgroundLoop(parts.pause)
  }

  /** What the ledger has is erased here as well: before that nothing is to be served. */
  get isReady(): boolean {
    return this.isWhole
  }

  /** How many erasures are not at their end, and when the oldest was asked for. */
  get status(): { readonly open: number; readonly oldest: string | undefined } {
    return { open: this.open.length, oldest: this.open[0]?.requestedAt }
  }

  /** To be called once. Resolves when it is certain whether the ledger has what the store does not. */
  async start(): Promise<void> {
    this.isWhole = (await this.unknown()).length === 0
    this.loop.start(() => this.step())
  }

  /** There is something to do. */
  wake(): void {
    this.loop.wake()
  }

  stop(): Promise<void> {
    return this.loop.stop()
  }

  private async step(): Promise<number> {
    try {
      if (!this.isWhole) await this.eraseAgain()
      await this.goOn()
      this.trouble = undefined
    } catch (error) {
      this.failed(error)
    }
    const isBusy = !this.isWhole || this.open.some(({ removed }) => removed === undefined)
    return isBusy ? soonMs : laterMs
  }

  private failed(error: unknown): void {
    // What is under way is broken off.
    if (this.loop.signal.aborted) return
    const reason = reasonOf(error)
    if (reason !== this.trouble) this.parts.log.warn({ reason }, 'erasures do not go on for now')
    this.trouble = reason
  }

  /** A failure for one erasure does not stop the others. */
  private async goOn(): Promise<void> {
    const { erasures, ledger } = this.parts
    const all = await erasures.read()
    this.open = all.open
    const failures: unknown[] = []
    await this.tellLedger(all).catch((error: unknown) => failures.push(error))
    const ledgerFailed = failures.length > 0
    for (const erasure of this.open) {
      if (this.loop.signal.aborted) return
      if (ledgerFailed && !ledger.entityIds.has(erasure.entityId)) continue
      await this.carryOn(erasure).catch((error: unknown) => failures.push(error))
    }
    const due = (await erasures.read()).open.filter((erasure) =>
      this.looks.isDue(erasure, this.now()),
    )
    for (let from = 0; from < due.length && !this.loop.signal.aborted; from += checkedTogether) {
      await this.checkPlaces(due.slice(from, from + checkedTogether))
    }
    this.open = (await erasures.read()).open
    this.forgetEnded()
    if (failures.length > 0) throw failures[0]
  }

  private async tellLedger(all: Erasures): Promise<void> {
    const from = this.inLedger.erasures === all ? this.inLedger.count : 0
    const added = all.page(from, Infinity).map(({ entityId }) => entityId)
    await addToLedger(this.parts.ledger, added)
    this.inLedger = { count: from + added.length, erasures: all }
  }

  private forgetEnded(): void {
    const open = new Set(this.open.map(({ id }) => id))
    this.looks.keep(open)
    for (const id of this.closed.keys()) if (!open.has(id)) this.closed.delete(id)
  }

  private async carryOn(erasure: Erasure): Promise<void> {
    if (erasure.removed !== undefined) return
    const fact = await this.remove(erasure)
    if (fact === undefined) return
    await this.record(erasure, ({ removed }) => removed === undefined, fact)
  }

  private async checkPlaces(erasures: readonly Erasure[]): Promise<void> {
    const looked = erasures.map(async (erasure) => {
      const places = await this.parts.streams.check(personOf(erasure), this.loop.signal)
      this.looks.looked(erasure.id, this.now())
      return { erasure, places }
    })
    for (const { erasure, places } of await Promise.all(looked)) {
      await this.recordPlaces(erasure, places)
    }
  }

  /** Undefined while the time for it has not come. */
  private async remove(erasure: Erasure): Promise<Removed | undefined> {
    const { clock } = this.parts
    const { entityId } = erasure
    const seen = await this.look(entityId)
    if (seen === undefined) return undefined
    const position = seen.position ?? this.goneBefore(erasure, seen)
    if (position === undefined) {
      await this.close(erasure, seen.externalId)
      return undefined
    }
    if (!isReady(seen)) return undefined
    const closing = { ...erasure, closedAt: position }
    const removed = await removeCounted(this.parts, closing, seen, this.loop.signal)
    if (removed === undefined) return undefined
    if (seen.position !== undefined && !seen.isFollowed) {
      await this.follow(erasure, position, removed)
      return undefined
    }
    const closedAt = { at: seen.erasedAt ?? erasure.requestedAt, position }
    // Log time does not go back where what it came from is gone.
    const at = timestampOf(new Date(Math.max(clock.now().getTime(), seen.logTime)))
    const { memberships } = seen
    const data = { erasureId: erasure.id, entityId, closedAt, ...removed, memberships, at }
    return { type: 'ErasedFactsRemoved', data }
  }

  /**
   * What is applied of her stays so: where her place stays too, a read model that is far behind delays nobody.
   * Undefined where there is none.
   */
  private async look(entityId: string): Promise<(ErasedEntity & KnownTo) | undefined> {
    const { erasedEntity, streams } = this.parts
    const soFar = streams.keepsPlaces ? await erasedEntity?.(entityId, 'so far') : undefined
    const isSeen = soFar?.position !== undefined || soFar?.externalId !== undefined
    return isSeen ? soFar : erasedEntity?.(entityId, 'all')
  }

  /**
   * Where the person's stream was closed at the latest, if the store removed her `EntityErased` before the read
   * model came to it, or a copy of the store left her out.
   */
  private goneBefore(
    { id }: Erasure,
    { externalId, knownTo }: ErasedEntity & KnownTo,
  ): string | undefined {
    const closed = externalId === undefined ? String(knownTo) : this.closed.get(id)
    return closed !== undefined && Number(closed) <= knownTo ? closed : undefined
  }

  /**
   * Whose log time came from what is removed is certain once a fact that stays lies behind the `EntityErased`,
   * whoever writes it: it is what is seen at the places.
   */
  private async follow(
    erasure: Erasure,
    closedAt: string,
    { positions }: CountedRemoval,
  ): Promise<void> {
    const { entityId } = erasure
    const where = positions === undefined ? {} : { positions }
    const person = { entityId, closedAt, ...where }
    await this.recordPlaces(erasure, await this.parts.streams.check(person, this.loop.signal))
  }

  private async close(erasure: Erasure, externalId: string | undefined): Promise<void> {
    if (externalId === undefined) return
    const { streams } = this.parts
    const { position } = await closeStream(this.parts, streams, { erasure, externalId })
    this.closed.set(erasure.id, position)
  }

  /** Together, and what is purged last: by the others the erasure is open until then. */
  private async recordPlaces(erasure: Erasure, places: readonly ErasurePlace[]): Promise<void> {
    const at = timestampOf(this.parts.clock.now())
    const isPurged = ({ state }: ErasurePlace) => Number(state === 'purged')
    const ordered = places.toSorted((left, right) => isPurged(left) - isPurged(right))
    const facts = ordered.map((place): ErasurePlaceChecked => {
      const data = { erasureId: erasure.id, ...place, at }
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

  /** The entities of the ledger whose erasure the store does not know, or not to its end. */
  private async unknown(): Promise<readonly string[]> {
    const { ledger, erasures } = this.parts
    if (ledger.entityIds.size === 0) return []
    const all = await erasures.read()
    return [...ledger.entityIds].filter((id) => all.ofEntity(id)?.removed === undefined)
  }

  /** The store was restored from an older copy, or the process ended before an erasure was closed. */
  private async eraseAgain(): Promise<void> {
    const { erasedEntity, erasures, ids, clock, log, streams } = this.parts
    const unknown = await this.unknown()
    if (erasedEntity === undefined) {
      log.warn(
        { entities: unknown.length },
        'the ledger has erasures that the store may not have: a process with a read model erases them again',
      )
      this.isWhole = true
      return
    }
    for (const entityId of unknown) {
      const { externalId, position } = await erasedEntity(entityId, 'all')
      if (externalId === undefined || position !== undefined) continue
      const at = timestampOf(clock.now())
      const id = ids.next()
      const subject = subjectOf(id, externalId, streams)
      const data = { entityId, suppress: true, recipients: [], ...subject, at }
      const { state: all } = await erasures.append(id, (so) =>
        so.ofEntity(entityId) === undefined
          ? { fact: { id, type: 'EntityErasureRecorded', data } }
          : {},
      )
      const erasure = all.ofEntity(entityId)
      if (erasure !== undefined) await this.close(erasure, externalId)
      log.info({ entityId, erasure: erasure?.id }, 'erased again: the ledger has it')
    }
    for (const entityId of unknown) {
      const { externalId } = await erasedEntity(entityId, 'all')
      if (externalId !== undefined) return
    }
    this.isWhole = true
  }

  private now(): number {
    return this.parts.clock.now().getTime()
  }
}

/** Nothing of hers is in the read model, and the log has all that she left; or nobody here ever read of her. */
function isReady({ position, isApplied, unpublishedLeaves }: ErasedEntity): boolean {
  return position === undefined || (isApplied && unpublishedLeaves === 0)
}

function personOf({ entityId, effective, positions }: Erasure): ErasedPerson {
  const closedAt = effective === undefined ? {} : { closedAt: effective.position }
  return { entityId, ...closedAt, ...(positions === undefined ? {} : { positions }) }
}

type Removed = Pick<Extract<ErasureFact, { type: 'ErasedFactsRemoved' }>, 'type' | 'data'>
