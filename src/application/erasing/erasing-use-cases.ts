import type { Erasure } from '../../domain/erasure-receipts.js'
import { confirmErasureUseCase, found, liftSuppressionUseCase } from './change-erasure.js'
import type { ErasureDryRun } from './ports/erasure-queries.js'
import { eraseUseCase, type ErasingParts, type EraseUseCase } from './erase-entity.js'

export type ErasingUseCases = Readonly<ReturnType<typeof erasingUseCases>>

export interface ListedErasures {
  readonly items: readonly Erasure[]
  /** How many are left out before the next page; undefined at the end. */
  readonly next: number | undefined
}

/**
 * What would be removed, and the position of the last fact that is known. Throws `entity_not_found`,
 * `not_ready` where there is no read model, and what reading throws.
 */
export type DryRun = (
  externalId: string,
  waitMs: number,
) => Promise<ErasureDryRun & { readonly position: number }>

export interface ErasingUseCaseParts extends ErasingParts {
  readonly dryRun: DryRun
  /**
   * When and where the stream of an entity was closed, as the read model has it, which knows the log up to a
   * position; undefined while it does not say so, and where there is none.
   */
  readonly closedAt: (entityId: string, position: number | 'head') => Promise<Erasure['effective']>
  /** The worker is to look: a stream was closed. */
  readonly wake: () => void
}

/** All that erases persons, and says how far that has come. */
export function erasingUseCases(parts: ErasingUseCaseParts) {
  const { erasures, streams, closedAt, wake } = parts
  const begin = eraseUseCase(parts)
  const erase: EraseUseCase = async (request) => {
    const started = await begin(request)
    wake()
    // No read of this process finds the person any more, unless its read model is far behind.
    const closed = await closedAt(started.erasure.entityId, Number(started.position))
    const effective = started.erasure.effective ?? closed
    return { ...started, erasure: withPlace(started.erasure, effective) }
  }
  /** With the place of its `EntityErased`, which the stream of erasures has when all is removed. */
  async function whole(erasure: Erasure): Promise<Erasure> {
    return withPlace(erasure, erasure.effective ?? (await closedAt(erasure.entityId, 'head')))
  }
  return {
    erase,
    erasureDryRun: parts.dryRun,
    confirmErasure: confirmErasureUseCase(parts, whole),
    liftSuppression: liftSuppressionUseCase(parts, whole),
    /** In the order in which they were asked for. */
    listErasures: async (page: {
      readonly after: number
      readonly limit: number
    }): Promise<ListedErasures> => {
      const all = await erasures.read()
      const until = page.after + page.limit
      const items = await Promise.all(all.page(page.after, page.limit).map(whole))
      return { items, next: until < all.size ? until : undefined }
    },
    /** Throws `erasure_not_found`. */
    readErasure: async (erasureId: string): Promise<Erasure> =>
      whole(found(await erasures.read(), erasureId)),
    /** What an erasure here does not reach. */
    erasureRemains: streams?.remains ?? [],
  }
}

function withPlace(erasure: Erasure, effective: Erasure['effective']): Erasure {
  return effective === undefined ? erasure : { ...erasure, effective }
}
