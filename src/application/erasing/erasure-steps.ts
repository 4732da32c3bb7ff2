import { isSamePlace, type Erasure } from '../../domain/erasure-receipts.js'
import type { ErasedFactsRemoved, ErasurePlaceChecked } from '../../domain/erasures.js'
import { withLatePlaces } from '../../domain/removed-places.js'
import { timestampOf } from '../../domain/timestamp.js'
import { closeStream, type ErasingParts } from './erase-entity.js'
import type { Erasable, ErasurePlace, RemovalProgress } from './ports/erasable.js'
import type { ErasureDryRun, ErasureProgress } from './ports/erasure-queries.js'

/** The read model's queries about an entity before and during its erasure. */
export interface ErasureLookups {
  /**
   * Returns the progress of an erasure. With `all`, first waits until the read model has applied
   * the whole fact log.
   */
  progress(entityId: string, known: 'all' | 'so far'): Promise<ErasureProgress>
  /**
   * Returns the data that an erasure would remove. Returns undefined when no entity has the
   * external id.
   */
  dryRun(externalId: string): Promise<ErasureDryRun | undefined>
}

export interface ErasureStepParts extends ErasingParts {
  readonly streams: Erasable
  /**
   * The queries of the read model. Undefined when this process has no read model. Another process
   * then performs the steps.
   */
  readonly lookups: ErasureLookups | undefined
}

type RemovedFacts = Pick<ErasedFactsRemoved['data'], 'facts' | 'keys' | 'clock' | 'positions'>

/**
 * The steps of an erasure, in order:
 *
 * 1. `close` closes the stream of the entity.
 * 2. `remove` removes the facts. Before this step, the read model must have forgotten the entity,
 * and the log must contain a fact for each segment that the entity left.
 * 3. `record` stores the number of removed facts.
 * 4. `check` checks whether the facts are purged from every location that held them.
 *
 * Several processes may perform these steps at the same time. Each step can be repeated. Appends at
 * expected revisions record each result once.
 */
export class ErasureSteps {
  /**
   * The streams that this process closed, by erasure id. Each value is the position of the
   * `EntityErased`, or a later position.
   */
  private readonly closed = new Map<string, string>()

  constructor(
    private readonly parts: ErasureStepParts,
    private readonly signal: AbortSignal,
  ) {}

  /**
   * Closes the stream, removes the facts and records the removal. Stops before a step that has to
   * wait.
   */
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
    // Checks the locations immediately. The results are recorded as a fact after the
    // `EntityErased`, and log time is known once there is such a fact.
    const { positions = [] } = removed
    await this.check([{ ...erasure, positions }])
  }

  /** Closes the stream of the entity by appending the `EntityErased`. */
  async appendErased(erasure: Erasure, externalId: string): Promise<void> {
    const { position } = await closeStream(this.parts, { erasure, externalId })
    this.closed.set(erasure.id, position)
  }

  /** Checks the locations of the removed facts, and records each location whose state changed. */
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

  /** Forgets the closed streams of erasures that are not in `open`, a set of erasure ids. */
  keep(open: ReadonlySet<string>): void {
    for (const id of this.closed.keys()) if (!open.has(id)) this.closed.delete(id)
  }

  /**
   * Returns the read model's progress with an erasure. In a store that keeps positions, a lagging
   * read model need not be awaited, because it will still find the `EntityErased`. Returns
   * undefined when this process has no read model.
   */
  private async readProgress(entityId: string): Promise<ErasureProgress | undefined> {
    const { lookups, streams } = this.parts
    const soFar = streams.keepsPositions ? await lookups?.progress(entityId, 'so far') : undefined
    const isSeen = soFar?.position !== undefined || soFar?.externalId !== undefined
    return isSeen ? soFar : lookups?.progress(entityId, 'all')
  }

  /**
   * Returns the position of the `EntityErased`, or a later position, once the read model has
   * reached it. Before that, closes the stream and returns undefined.
   */
  private async close(
    erasure: Erasure,
    { position, externalId, knownTo }: ErasureProgress,
  ): Promise<string | undefined> {
    if (position !== undefined) return position
    // Treats the stream as closed, because this read model never saw the entity. Either the store
    // removed the facts before the read model read them, or a copy of the store omitted the entity.
    if (externalId === undefined) return String(knownTo)
    const closedAt = this.closed.get(erasure.id)
    // Treats the stream as closed, because the store removed the `EntityErased` before the read
    // model reached it.
    if (closedAt !== undefined && Number(closedAt) <= knownTo) return closedAt
    await this.appendErased(erasure, externalId)
    return undefined
  }

  /** Removes the facts. Returns undefined when the removal has to wait, or when it was aborted. */
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
   * Returns the read model's counts of the removed facts, for a store that counts no facts. If the
   * read model has not seen an `EntityErased`, it forgets the entity only when the removal is
   * recorded. In this case, counts the entity's facts now.
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
    // Uses at least the current log time: the removed facts may have moved log time, and log time
    // must not go back.
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
   * Records the changed states of locations, in one append. Puts purged locations at the end,
   * because the erasure must stay open until all states are recorded.
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
 * Returns whether the facts may be removed. The read model must have forgotten the entity, and the
 * log must contain a fact for each segment that the entity left. Also returns true when the read
 * model never saw the `EntityErased`.
 */
function isRemovable({ position, isApplied, unpublishedLeaves }: ErasureProgress): boolean {
  return position === undefined || (isApplied && unpublishedLeaves === 0)
}

/**
 * Returns whether the read model knows all facts of other entities whose log time came from a
 * removed fact.
 */
function isLogTimeKnown({ position, isFollowed }: ErasureProgress): boolean {
  return position === undefined || isFollowed
}
