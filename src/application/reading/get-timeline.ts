import type {
  Answer,
  Part,
  ReadModel,
  TimelineCursor,
  TimelineItem,
  TimelineQuery,
} from './ports/read-model.js'
import { found, type ReadWant } from './want.js'

/** An entity's events. Throws `NoSuchEntity`, and what `ReadModel.ask` throws. */
export type GetTimelineUseCase = (
  query: TimelineQuery,
  want: ReadWant,
) => Promise<Answer<Part<TimelineItem, TimelineCursor>>>

export function getTimelineUseCase(readModel: ReadModel): GetTimelineUseCase {
  return async (query, want) => found(await readModel.ask('timeline', query, want))
}
