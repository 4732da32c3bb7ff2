import { isSamePlace, type Erasure } from '../../domain/erasure-receipts.js'
import type { ErasedFactsRemoved, ErasurePlaceChecked } from '../../domain/erasures.js'
import { withLatePlaces } from '../../domain/removed-places.js'
import { timestampOf } from '../../domain/timestamp.js'
import { closeStream, type ErasingParts } from './erase-entity.js'
import type { Erasable, ErasurePlace, RemovalProgress } from './ports/erasable.js'
import type { ErasureDryRun, ErasureProgress } from './ports/erasure-queries.js'

/** The queries about an entity before and during its erasure. */
export interface ErasureLookups {
  /** `all` waits until the read model has applied the whole log. */
  progress(entityId: string, known: 'all' | 'so far'): Promise<ErasureProgress>
  /** Returns what an erasure would remove. Undefined when no entity has the external id. */
  dryRun(externalId: string): Promise<ErasureDryRun | undefined>
}

export interface ErasureStepParts extends ErasingParts {
  readonly streams: Erasable
  /** Undefined when this process has no read model. Another process then takes the steps. */
  readonly lookups: ErasureLookups | undefined
}

type RemovedFacts = Pick<ErasedFactsRemoved['data'], 'facts' | 'keys' | 'clock' | 'positions'>

/**
 * The steps of an erasure, in order:
 *
 * 1. `close` closes the stream of the entity.
 * 2. `remove` removes the facts, once the read model has forgotten the entity and the log has its leaves.
 * 3. `record` stores how many facts were removed.
 * 4. `check` asks every location of the facts whether it is purged.
 *
 * Every process takes these steps. Each step can be repeated, and exact revisions record each result once.
 */
export class ErasureSteps {
  /** The streams that this process closed, by erasure id: a position at or after the `EntityErased`. */
  private readonly closed = new Map<string, string>()

  constructor(
    private readonly parts: ErasureStepParts,
    private readonly signal: AbortSignal,
  ) {}

  /** Closes, removes and records, up to the first step that has to wait. */
  async advance(erasure: Erasure): Promise<void> {
    if (erasure.removed !== undefined) return
    const seen = await this.readProgress(erasure.entityId)
    if (seen === undefined) return
    const closedAt = await this.close(erasure, seen)
    if (closedAt === undefined) return
    const removed = await this.remove({ ...erasure, closedAt }, seen)
    if (removed === undefined) return
    if (isLogTimeKnown(seen)) {
      await this.record({ ...erasure, closedAt }, seen, removed)
      return
    }
    // The result of a check is a fact that stays, and follows the `EntityErased`.
    const { positions = [] } = removed
    await this.check([{ ...erasure, positions }])
  }

  /** Stores the `EntityErased`, which closes the stream of the entity. */
  async appendErased(erasure: Erasure, externalId: string): Promise<void> {
    const { position } = await closeStream(this.parts, { erasure, externalId })
    this.closed.set(erasure.id, position)
  }

  /** Checks the locations of the removed facts, and records the states that changed. */
  async check(erasures: readonly Erasure[]): Promise<void> {
    const { streams } = this.parts
    const checking = erasures.map(({ entityId, positions = [] }) =>
      streams.check({ entityId, positions }, this.signal),
    )
    const found = await Promise.all(checking)
    for (const [index, erasure] of erasures.entries()) {
      await this.recordLocations(erasure, found[index] ?? [])
    }
  }

  /** Forgets all erasures except the open ones. */
  keep(open: ReadonlySet<string>): void {
    for (const id of this.closed.keys()) if (!open.has(id)) this.closed.delete(id)
  }

  /**
   * Asks the read model how far it has applied the erasure. A store that keeps positions still has the
   * `EntityErased`, so a read model that lags finds it later. Undefined when this process has no read model.
   */
  private async readProgress(entityId: string): Promise<ErasureProgress | undefined> {
    const { lookups, streams } = this.parts
    const soFar = streams.keepsPositions ? await lookups?.progress(entityId, 'so far') : undefined
    const isSeen = soFar?.position !== undefined || soFar?.externalId !== undefined
    return isSeen ? soFar : lookups?.progress(entityId, 'all')
  }

  /**
   * Returns the position of the `EntityErased`, or a later one, once the read model has reached it. Until then,
   * closes the stream and returns undefined.
   */
  private async close(
    erasure: Erasure,
    { position, externalId, knownTo }: ErasureProgress,
  ): Promise<string | undefined> {
    if (position !== undefined) return position
    // The store removed the facts before they were read, or a copy of the store omitted the entity.
    if (externalId === undefined) return String(knownTo)
    const closedAt = this.closed.get(erasure.id)
    // The store removed the `EntityErased` before the read model reached it.
    if (closedAt !== undefined && Number(closedAt) <= knownTo) return closedAt
    await this.appendErased(erasure, externalId)
    return undefined
  }

  /** Removes the facts. Undefined when the removal has to wait, or is aborted. */
  private async remove(
    { entityId, suppress, closedAt }: Erasure & { readonly closedAt: string },
    seen: ErasureProgress,
  ): Promise<RemovedFacts | undefined> {
    if (!isRemovable(seen)) return undefined
    const { streams } = this.parts
    const counted = streams.keepsPositions ? undefined : await this.countRemoved(entityId, seen)
    let progress: RemovalProgress
    do {
      if (this.signal.aborted) return undefined
      progress = await streams.remove({ entityId, closedAt, suppress }, this.signal)
    } while (!progress.isDone)
    if (counted === undefined) return { facts: progress.facts, keys: progress.keys }
    const { facts, keys } = counted
    const removed = {
      facts,
      keys,
      positions: withLatePlaces(counted.positions, progress.positions),
    }
    return seen.clock.length === 0 ? removed : { ...removed, clock: seen.clock }
  }

  /**
   * Returns the counts of the read model, for a store that counts nothing. An entity whose `EntityErased` cannot
   * be found is still in the read model, which forgets it when the removal is recorded. So it is counted now.
   */
  private async countRemoved(
    entityId: string,
    { position, externalId, removed }: ErasureProgress,
  ): Promise<ErasureProgress['removed']> {
    const isUnerased = position === undefined && externalId !== undefined
    const found = isUnerased ? await this.parts.lookups?.dryRun(externalId) : undefined
    return found?.entityId === entityId ? found : removed
  }

  private async record(
    { id: erasureId, entityId, requestId, requestedAt, closedAt }: Erasure & { closedAt: string },
    { erasedAt, memberships, logTime }: ErasureProgress,
    removed: RemovedFacts,
  ): Promise<void> {
    const { clock, erasures, ids } = this.parts
    // The removed facts may have moved log time. With this time, log time does not go back.
    const at = timestampOf(new Date(Math.max(clock.now().getTime(), logTime)))
    const data = {
      erasureId,
      entityId,
      closedAt: { at: erasedAt ?? requestedAt, position: closedAt },
      ...removed,
      memberships,
      at,
    }
    const fact = { id: ids.next(), type: 'ErasedFactsRemoved', data } as const
    await erasures.append(requestId, (all) => {
      const erasure = all.get(erasureId)
      return { fact: erasure !== undefined && erasure.removed === undefined ? fact : undefined }
    })
  }

  /**
   * Records the states that changed, in one append. Purged locations come last, because the erasure has to stay
   * open until all are recorded.
   */
  private async recordLocations(
    { id: erasureId, requestId }: Erasure,
    locations: readonly ErasurePlace[],
  ): Promise<void> {
    const { clock, erasures, ids } = this.parts
    const at = timestampOf(clock.now())
    const isPurged = ({ state }: ErasurePlace) => Number(state === 'purged')
    const ordered = locations.toSorted((left, right) => isPurged(left) - isPurged(right))
    const facts = ordered.map((location): ErasurePlaceChecked => {
      const data = { erasureId, ...location, at }
      return { id: ids.next(), type: 'ErasurePlaceChecked', data }
    })
    await erasures.append(requestId, (all) => ({
      fact: facts.filter(({ data }) => {
        const before = all.get(erasureId)?.places.find((one) => isSamePlace(one, data))
        return before?.state !== data.state || before.for !== data.for
      }),
    }))
  }
}

/**
 * Whether the facts may be removed: the read model has forgotten the entity, and the log has its leaves. Also
 * true when the read model never saw the `EntityErased`.
 */
function isRemovable({ position, isApplied, unpublishedLeaves }: ErasureProgress): boolean {
  return position === undefined || (isApplied && unpublishedLeaves === 0)
}

/** Whether it is known which facts of other entities have a log time that came from a removed fact. */
function isLogTimeKnown({ position, isFollowed }: ErasureProgress): boolean {
  return position === undefined || isFollowed
}
