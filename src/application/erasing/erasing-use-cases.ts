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
  /** The value of the parameter `after` for the next page. Undefined when there is no further page. */
  readonly next: number | undefined
}

/**
 * Returns the data that an erasure would remove, and the position of the last applied fact. Throws
 * `not_ready` when this process has no read model. Throws `entity_not_found`, `not_possible`, and
 * the errors of reading.
 */
export type DryRun = (
  externalId: string,
  waitMs: number,
) => Promise<ErasureDryRun & { readonly position: number }>

export interface ErasingUseCaseParts extends ErasingParts {
  readonly dryRun: DryRun
  /**
   * Returns the time and position at which the stream of an entity was closed. Asks the read model,
   * after it has applied the given position. Returns undefined when the read model does not answer
   * in time, or when this process has no read model.
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
    // Waits for the read model, so that later reads of this process do not find the entity. A read model that lags far
    // behind may still find it.
    const closed = await closedAt(started.erasure.entityId, Number(started.position))
    const effective = started.erasure.effective ?? closed
    return { ...started, erasure: addEffective(started.erasure, effective) }
  }
  const erasureDryRun: DryRun = async (externalId, waitMs) => {
    // Permits a dry run while erasing is off, because it may prepare an erasure. Refuses a dry run for a store that can
    // never erase.
    if (streams === 'not_possible') erasableOf(parts)
    return parts.dryRun(externalId, waitMs)
  }
  /** Adds the position of the `EntityErased`. The stream `erasures` contains this position only after the removal. */
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
    /** Returns the erasure that blocks reuse of an external id. Returns undefined when reuse is not blocked. */
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
    /** The copies of data that no erasure in this store reaches, one sentence each. */
    erasureRemains: typeof streams === 'string' ? [] : streams.remains,
  }
}

function addEffective(erasure: Erasure, effective: Erasure['effective']): Erasure {
  return effective === undefined ? erasure : { ...erasure, effective }
}
