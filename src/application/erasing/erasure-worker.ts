import { isOpen, isSamePlace, type Erasure } from '../../domain/erasure-receipts.js'
import type { ErasureFact, ErasurePlaceChecked } from '../../domain/erasures.js'
import { timestampOf } from '../../domain/timestamp.js'
import { BackgroundLoop, type Pause } from '../background-loop.js'
import { reasonOf, type Log } from '../ports/log.js'
import { closeStream, erasureOfEntity, type ErasingParts } from './erase-entity.js'
import { subjectOf } from './erasure-subject.js'
import type { ErasableStreams, ErasurePlace, RemovalProgress } from './ports/erasable-streams.js'
import type { ErasedEntity } from './ports/erasure-queries.js'

export interface ErasureWorkerParts extends ErasingParts {
  readonly streams: ErasableStreams
  /** What the read model says; undefined where it is off: another process removes then. */
  readonly erasedEntity: ((entityId: string) => Promise<ErasedEntity>) | undefined
  readonly log: Log
  readonly pause: Pause
}

/** How often it looks, in milliseconds: while something is to be removed, and else. */
const soonMs = 500
const laterMs = 5_000
/** How often the places of one erasure are looked at that are not purged, in milliseconds. */
const checkEveryMs = 60_000

/**
 * Carries every erasure to its end, whoever began it: closes what is recorded and not closed, removes the
 * facts once the read model has none of the person and the log has all that she left, and looks at the
 * places. Each process does it; each step can be repeated, and exact revisions record each once.
 */
export class ErasureWorker {
  private readonly loop: BackgroundLoop
  private readonly checkedAt = new Map<string, number>()
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
    const reason = reasonOf(error)
    if (reason !== this.trouble) this.parts.log.warn({ reason }, 'erasures do not go on for now')
    this.trouble = reason
  }

  private async goOn(): Promise<void> {
    const all = [...(await this.parts.erasures.read()).values()]
    await this.parts.ledger.add(all.map(({ entityId }) => entityId))
    this.open = all.filter(isOpen)
    for (const erasure of this.open) {
      if (this.loop.signal.aborted) return
      await this.carryOn(erasure)
    }
    this.open = [...(await this.parts.erasures.read()).values()].filter(isOpen)
  }

  private async carryOn(erasure: Erasure): Promise<void> {
    const { entityId, removed, id } = erasure
    const { streams } = this.parts
    if (removed === undefined) {
      const progress = await this.remove(erasure)
      if (progress === undefined) return
      await this.record(
        erasure.requestId,
        id,
        ({ removed: before }) => before === undefined,
        progress,
      )
    } else if (this.now() - (this.checkedAt.get(id) ?? -Infinity) < checkEveryMs) return
    this.checkedAt.set(id, this.now())
    const closedAt = erasure.effective?.position
    const person = closedAt === undefined ? { entityId } : { entityId, closedAt }
    for (const place of await streams.check(person, this.loop.signal))
      await this.recordPlace(erasure, place)
  }

  /** Undefined while the time for it has not come. */
  private async remove(erasure: Erasure): Promise<Removed | undefined> {
    const { streams, erasedEntity } = this.parts
    if (erasedEntity === undefined) return undefined
    const { entityId, id: erasureId } = erasure
    const seen = await erasedEntity(entityId)
    const { externalId, position, isApplied, unpublishedLeaves, memberships } = seen
    if (position === undefined) {
      if (externalId !== undefined) await this.close(erasure, externalId)
      return undefined
    }
    if (!isApplied || unpublishedLeaves > 0) return undefined
    let progress: RemovalProgress
    do {
      if (this.loop.signal.aborted) return undefined
      progress = await streams.remove({ entityId, closedAt: position }, this.loop.signal)
    } while (!progress.isDone)
    const { facts, keys } = progress
    const at = timestampOf(this.parts.clock.now())
    const closedAt = { at: seen.erasedAt ?? erasure.requestedAt, position }
    const data = { erasureId, closedAt, facts, keys, memberships, at }
    return { type: 'ErasedFactsRemoved', data }
  }

  private async close(erasure: Erasure, externalId: string): Promise<void> {
    const { streams } = this.parts
    const clock = await this.parts.clockFloors({ externalId, entityId: erasure.entityId })
    await closeStream(this.parts, streams, { erasure, externalId, clock })
  }

  private async recordPlace(erasure: Erasure, place: ErasurePlace): Promise<void> {
    const at = timestampOf(this.parts.clock.now())
    const data = { erasureId: erasure.id, ...place, at }
    await this.record(
      erasure.requestId,
      erasure.id,
      ({ places }) => {
        const before = places.find((one) => isSamePlace(one, place))
        return before?.state !== place.state || before.for !== place.for
      },
      { type: 'ErasurePlaceChecked', data },
    )
  }

  private async record(
    requestId: string,
    erasureId: string,
    isNew: (erasure: Erasure) => boolean,
    fact: Removed | Pick<ErasurePlaceChecked, 'type' | 'data'>,
  ): Promise<void> {
    const id = this.parts.ids.next()
    const recorded: ErasureFact = { id, ...fact }
    await this.parts.erasures.append(requestId, (all) => {
      const erasure = all.get(erasureId)
      return erasure !== undefined && isNew(erasure) ? recorded : undefined
    })
  }

  /** The entities of the ledger whose erasure the store does not know, or not to its end. */
  private async unknown(): Promise<readonly string[]> {
    const { ledger, erasures } = this.parts
    if (ledger.entityIds.size === 0) return []
    const done = new Set<string>()
    for (const { entityId, removed } of (await erasures.read()).values()) {
      if (removed !== undefined) done.add(entityId)
    }
    return [...ledger.entityIds].filter((id) => !done.has(id))
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
      const { externalId, position } = await erasedEntity(entityId)
      if (externalId === undefined || position !== undefined) continue
      const at = timestampOf(clock.now())
      const id = ids.next()
      const subject = subjectOf(id, externalId, streams)
      const data = { entityId, suppress: true, recipients: [], ...subject, at }
      const { erasures: all } = await erasures.append(id, (so) =>
        erasureOfEntity(so.values(), entityId) === undefined
          ? { id, type: 'EntityErasureRecorded', data }
          : undefined,
      )
      const erasure = erasureOfEntity(all.values(), entityId)
      if (erasure !== undefined) await this.close(erasure, externalId)
      log.info({ entityId, erasure: erasure?.id }, 'erased again: the ledger has it')
    }
    for (const entityId of unknown) {
      const { externalId } = await erasedEntity(entityId)
      if (externalId !== undefined) return
    }
    this.isWhole = true
  }

  private now(): number {
    return this.parts.clock.now().getTime()
  }
}

type Removed = Pick<Extract<ErasureFact, { type: 'ErasedFactsRemoved' }>, 'type' | 'data'>
