import type { Answer, ListedEntity, Part, ReadModel } from './ports/read-model.js'
import type { ReadWant } from './want.js'

export interface EntitiesQuery {
  /** Only the one that was created by the fact of this id. */
  readonly entityId?: string | undefined
  /** Those after the creation at this position. */
  readonly after?: number | undefined
  readonly limit: number
}

/** Entities in the order of their creation. Throws what `ReadModel.ask` throws. */
export type ListEntitiesUseCase = (
  query: EntitiesQuery,
  want: ReadWant,
) => Promise<Answer<Part<ListedEntity, number>>>

export function listEntitiesUseCase(readModel: ReadModel): ListEntitiesUseCase {
  return async ({ entityId, after, limit }, want) => {
    if (entityId === undefined) return readModel.ask('entities', { after, limit }, want)
    const answer = await readModel.ask('entityById', { entityId }, want)
    const items = answer.value === undefined ? [] : [answer.value]
    return { ...answer, value: { items, next: undefined } }
  }
}
