import type { Answer, HistoryItem, Part, ReadModel } from './ports/read-model.js'
import { askFresh, found, type ReadWant } from './want.js'

export interface HistoryQuery {
  readonly externalId: string
  /** The changes before the one at this position. */
  readonly after?: number | undefined
  readonly limit: number
}

/** How an entity's properties changed, newest first. Throws `NoSuchEntity`, and what `ReadModel.ask` throws. */
export type GetHistoryUseCase = (
  query: HistoryQuery,
  want: ReadWant,
) => Promise<Answer<Part<HistoryItem, number>>>

export function getHistoryUseCase(readModel: ReadModel): GetHistoryUseCase {
  return async (query, want) => found(await askFresh(readModel, 'history', query, want))
}
