import type { Erasure } from '../../domain/erasure-receipts.js'
import { confirmErasureUseCase, found, liftSuppressionUseCase } from './change-erasure.js'
import type { ErasureDryRun } from './ports/erasure-queries.js'
import { eraseUseCase, type ErasingParts } from './erase-entity.js'

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

/** All that erases persons, and says how far that has come. */
export function erasingUseCases(parts: ErasingParts & { readonly dryRun: DryRun }) {
  const { erasures, streams } = parts
  return {
    erase: eraseUseCase(parts),
    erasureDryRun: parts.dryRun,
    confirmErasure: confirmErasureUseCase(parts),
    liftSuppression: liftSuppressionUseCase(parts),
    /** In the order in which they were asked for. */
    listErasures: async (page: {
      readonly after: number
      readonly limit: number
    }): Promise<ListedErasures> => {
      const all = [...(await erasures.read()).values()]
      const until = page.after + page.limit
      return { items: all.slice(page.after, until), next: until < all.length ? until : undefined }
    },
    /** Throws `erasure_not_found`. */
    readErasure: async (erasureId: string): Promise<Erasure> =>
      found(await erasures.read(), erasureId),
    /** What an erasure here does not reach. */
    erasureRemains: streams?.remains ?? [],
  }
}
