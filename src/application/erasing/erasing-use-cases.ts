import type { Erasure } from '../../domain/erasure-receipts.js'
import { confirmErasureUseCase, findErasure, liftSuppressionUseCase } from './change-erasure.js'
import type { ErasureDryRun } from './ports/erasure-queries.js'
import {
  erasableOf,
  eraseUseCase,
  findBlockingErasure,
  type ErasingParts,
  type EraseUseCase,
} from './erase-entity.js'

export type ErasingUseCases = Readonly<ReturnType<typeof erasingUseCases>>

export interface ListedErasures {
  readonly items: readonly Erasure[]
  /** The parameter `after` for the next page. Undefined when there is no further page. */
  readonly next: number | undefined
}

/**
 * Returns the data that an erasure would remove, and the position of the last applied fact. Throws
 * `entity_not_found`, `not_possible`, `not_ready` when this process has no read model, and the
 * errors of reading.
 */
export type DryRun = (
  externalId: string,
  waitMs: number,
) => Promise<ErasureDryRun & { readonly position: number }>

export interface ErasingUseCaseParts extends ErasingParts {
  readonly dryRun: DryRun
  /**
   * Returns the time and position at which the stream of an entity was closed. The answer comes
   * from the read model, after it has applied the given position. Returns undefined when the read
   * model does not answer in time, or when this process has no read model.
   */
  readonly closedAt: (entityId: string, position: number | 'head') => Promise<Erasure['effective']>
  /** Wakes the worker after a stream was closed. */
  readonly wake: () => void
}

/** Returns the use cases that erase entities and report the progress of erasures. */
export function erasingUseCases(parts: ErasingUseCaseParts) {
  const { erasures, streams, closedAt, wake } = parts
  const begin = eraseUseCase(parts)
  const erase: EraseUseCase = async (request) => {
    const started = await begin(request)
    wake()
    // Waits for the read model. So the reads of this process no longer find the entity afterwards,
    // unless the read model lags far behind.
    const closed = await closedAt(started.erasure.entityId, Number(started.position))
    const effective = started.erasure.effective ?? closed
    return { ...started, erasure: addEffective(started.erasure, effective) }
  }
  const erasureDryRun: DryRun = async (externalId, waitMs) => {
    // Permits a dry run while erasing is off, because the run may prepare an erasure. Refuses it
    // for a store that can never erase.
    if (streams === 'not_possible') erasableOf(parts)
    return parts.dryRun(externalId, waitMs)
  }
  /**
   * Adds the position of the `EntityErased`. The stream of erasures contains this position only
   * after the removal.
   */
  async function withEffective(erasure: Erasure): Promise<Erasure> {
    return addEffective(erasure, erasure.effective ?? (await closedAt(erasure.entityId, 'head')))
  }
  return {
    erase,
    erasureDryRun,
    confirmErasure: confirmErasureUseCase(parts, withEffective),
    liftSuppression: liftSuppressionUseCase(parts, withEffective),
    /** Lists erasures in the order of their requests. */
    listErasures: async (page: {
      readonly after: number
      readonly limit: number
    }): Promise<ListedErasures> => {
      const all = await erasures.read()
      const until = page.after + page.limit
      const items = await Promise.all(all.page(page.after, page.limit).map(withEffective))
      return { items, next: until < all.size ? until : undefined }
    },
    /** Returns the erasure that blocks reuse of an external id. Returns undefined for an id that is not blocked. */
    findBlockingErasure: async (
      externalId: string,
      requestId: string,
    ): Promise<Erasure | undefined> => {
      const erasure = await findBlockingErasure(parts, { externalId, requestId })
      return erasure && withEffective(erasure)
    },
    /** Returns an erasure. Throws `erasure_not_found`. */
    readErasure: async (erasureId: string): Promise<Erasure> =>
      withEffective(findErasure(await erasures.read(), erasureId)),
    /** The copies of data that an erasure in this store does not reach, one sentence each. */
    erasureRemains: typeof streams === 'string' ? [] : streams.remains,
  }
}

function addEffective(erasure: Erasure, effective: Erasure['effective']): Erasure {
  return effective === undefined ? erasure : { ...erasure, effective }
}
