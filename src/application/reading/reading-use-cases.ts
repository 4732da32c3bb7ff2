import {
  evaluateRuleUseCase,
  explainSegmentUseCase,
  getEntitySegmentsUseCase,
  getSegmentUseCase,
  listMembersUseCase,
  listSegmentsUseCase,
  listSegmentVersionsUseCase,
} from './read-segments.js'
import type { ReadingUseCases } from '../use-cases.js'
import { checkReadsUseCase, knownPositionUseCase } from './check-reads.js'
import type { TailLimits } from './fact-tail.js'
import { followFactsUseCase } from './follow-facts.js'
import { getHistoryUseCase } from './get-history.js'
import { getProfileUseCase } from './get-profile.js'
import { getTimelineUseCase } from './get-timeline.js'
import { listEntitiesUseCase } from './list-entities.js'
import type { ReadModel } from './ports/read-model.js'
import { readFactsUseCase } from './read-facts.js'

/** All that can be asked of a read model. `tailLimits`: of the newest facts that are kept for the feed. */
export function readingUseCases(readModel: ReadModel, tailLimits?: TailLimits): ReadingUseCases {
  return {
    getProfile: getProfileUseCase(readModel),
    listEntities: listEntitiesUseCase(readModel),
    getTimeline: getTimelineUseCase(readModel),
    getHistory: getHistoryUseCase(readModel),
    listSegments: listSegmentsUseCase(readModel),
    getSegment: getSegmentUseCase(readModel),
    listSegmentVersions: listSegmentVersionsUseCase(readModel),
    listMembers: listMembersUseCase(readModel),
    getEntitySegments: getEntitySegmentsUseCase(readModel),
    explainSegment: explainSegmentUseCase(readModel),
    evaluateRule: evaluateRuleUseCase(readModel),
    readFacts: readFactsUseCase(readModel),
    followFacts: followFactsUseCase(readModel, tailLimits),
    checkReads: checkReadsUseCase(readModel),
    knownPosition: knownPositionUseCase(readModel),
  }
}
