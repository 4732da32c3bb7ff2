import type { Erasure } from '../../domain/erasure-receipts.js'
import type { ErasedFactsRemoved } from '../../domain/erasures.js'
import { withLatePlaces } from '../../domain/removed-places.js'
import type { ErasableStreams, RemovalProgress } from './ports/erasable-streams.js'
import type { ErasedEntity, ErasureDryRun } from './ports/erasure-queries.js'

export interface CountingParts {
  readonly streams: ErasableStreams
  /** What an erasure would remove of who has the name. Undefined: nobody has it; or there is no read model. */
  readonly dryRun?: (externalId: string) => Promise<ErasureDryRun | undefined>
}

export type CountedRemoval = Pick<
  ErasedFactsRemoved['data'],
  'facts' | 'keys' | 'clock' | 'positions'
>

/** Removes the facts of a person, up to the end. What was removed; undefined where it was broken off. */
export async function removeCounted(
  { streams, dryRun }: CountingParts,
  { entityId, suppress, closedAt }: Erasure & { readonly closedAt: string },
  seen: ErasedEntity,
  signal: AbortSignal,
): Promise<CountedRemoval | undefined> {
  const found = streams.keepsPlaces ? undefined : await stillThere(seen, dryRun)
  let progress: RemovalProgress
  do {
    if (signal.aborted) return undefined
    progress = await streams.remove({ entityId, closedAt, suppress }, signal)
  } while (!progress.isDone)
  const { facts, keys, positions: late = [] } = progress
  if (streams.keepsPlaces) return { facts, keys }
  const removed = found?.entityId === entityId ? countsOf(found) : seen.removed
  const counted = { ...removed, positions: withLatePlaces(removed.positions, late) }
  return seen.clock.length === 0 ? counted : { ...counted, clock: seen.clock }
}

/** Whoever the read model has, and the store does not: she is counted before her removal is recorded. */
async function stillThere(
  { position, externalId }: ErasedEntity,
  dryRun: CountingParts['dryRun'],
): Promise<ErasureDryRun | undefined> {
  return position === undefined && externalId !== undefined ? dryRun?.(externalId) : undefined
}

function countsOf({ facts, keys, positions }: ErasureDryRun): ErasedEntity['removed'] {
  return { facts, keys, positions }
}
