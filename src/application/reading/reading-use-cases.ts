import type { ReadingUseCases } from '../use-cases.js'
import { checkReadsUseCase, knownPositionUseCase } from './check-reads.js'
import { getHistoryUseCase } from './get-history.js'
import { getProfileUseCase } from './get-profile.js'
import { getTimelineUseCase } from './get-timeline.js'
import { listEntitiesUseCase } from './list-entities.js'
import type { ReadModel } from './ports/read-model.js'

/** All that can be asked of a read model. */
export function readingUseCases(readModel: ReadModel): ReadingUseCases {
  return {
    getProfile: getProfileUseCase(readModel),
    listEntities: listEntitiesUseCase(readModel),
    getTimeline: getTimelineUseCase(readModel),
    getHistory: getHistoryUseCase(readModel),
    checkReads: checkReadsUseCase(readModel),
    knownPosition: knownPositionUseCase(readModel),
  }
}
