import type { Erasure } from '../../domain/erasure-receipts.js'
import type { ErasedFactsRemoved } from '../../domain/erasures.js'
import { withLatePlaces } from '../../domain/removed-places.js'
import type { ErasableStreams, RemovalProgress } from './ports/erasable-streams.js'
import type { ErasedEntity, ErasureDryRun } from './ports/erasure-queries.js'

export interface CountingParts {
  readonly streams: ErasableStreams
  /**
   * Returns what an erasure of the entity with this external id would remove. Undefined when no entity has the
   * id. The function is absent when this process has no read model.
   */
  readonly dryRun?: (externalId: string) => Promise<ErasureDryRun | undefined>
}

export type CountedRemoval = Pick<
  ErasedFactsRemoved['data'],
  'facts' | 'keys' | 'clock' | 'positions'
>

/**
 * Whether the facts may be removed: the read model has forgotten the entity, and the log has its leaves. Also
 * true when the read model never saw the `EntityErased`.
 */
export function isRemovable({ position, isApplied, unpublishedLeaves }: ErasedEntity): boolean {
  return position === undefined || (isApplied && unpublishedLeaves === 0)
}

/** Removes the facts of an entity. Returns the counts of what was removed, or undefined when aborted. */
export async function removeCounted(
  { streams, dryRun }: CountingParts,
  { entityId, suppress, closedAt }: Erasure & { readonly closedAt: string },
  seen: ErasedEntity,
  signal: AbortSignal,
): Promise<CountedRemoval | undefined> {
  const found = streams.keepsPositions ? undefined : await countUnerased(seen, dryRun)
  let progress: RemovalProgress
  do {
    if (signal.aborted) return undefined
    progress = await streams.remove({ entityId, closedAt, suppress }, signal)
  } while (!progress.isDone)
  const { facts, keys, positions: late = [] } = progress
  if (streams.keepsPositions) return { facts, keys }
  const removed = found?.entityId === entityId ? countsOf(found) : seen.removed
  const counted = { ...removed, positions: withLatePlaces(removed.positions, late) }
  return seen.clock.length === 0 ? counted : { ...counted, clock: seen.clock }
}

/**
 * Counts the facts of an entity that the read model still has although its `EntityErased` cannot be found. The
 * count has to happen before the removal is recorded, because the read model forgets the entity then.
 */
async function countUnerased(
  { position, externalId }: ErasedEntity,
  dryRun: CountingParts['dryRun'],
): Promise<ErasureDryRun | undefined> {
  return position === undefined && externalId !== undefined ? dryRun?.(externalId) : undefined
}

function countsOf({ facts, keys, positions }: ErasureDryRun): ErasedEntity['removed'] {
  return { facts, keys, positions }
}
