import type { CheckReadsUseCase, ReadStatusUseCase } from './reading/check-reads.js'
import type { FollowFactsUseCase } from './reading/follow-facts.js'
import type { ReadFactsUseCase } from './reading/read-facts.js'
import type { ReadUseCase } from './reading/reads.js'
import type { CheckReadiness } from './recording/check-readiness.js'
import type { CreateEntityUseCase } from './recording/create-entity.js'
import type { RecordEventUseCase } from './recording/record-event.js'
import type { RunBatch } from './recording/run-batch.js'
import type { UpdateEntityUseCase } from './recording/update-entity.js'
import type { AddToSegmentUseCase, RemoveFromSegmentUseCase } from './segments/change-member.js'
import type { DefineSegmentUseCase } from './segments/define-segment.js'
import type { RetireSegmentUseCase } from './segments/retire-segment.js'

/** Everything the service can do: the inner API, whatever the way in. */
export interface UseCases extends RecordingUseCases, SegmentUseCases {
  /** Undefined in a process that answers writes alone. */
  readonly reading?: ReadingUseCases | undefined
}

export interface RecordingUseCases {
  readonly createEntity: CreateEntityUseCase
  readonly updateEntity: UpdateEntityUseCase
  readonly recordEvent: RecordEventUseCase
  readonly runBatch: RunBatch
  readonly checkReadiness: CheckReadiness
}

export interface SegmentUseCases {
  readonly defineSegment: DefineSegmentUseCase
  readonly retireSegment: RetireSegmentUseCase
  readonly addToSegment: AddToSegmentUseCase
  readonly removeFromSegment: RemoveFromSegmentUseCase
}

export interface ReadingUseCases {
  readonly read: ReadUseCase
  readonly readFacts: ReadFactsUseCase
  readonly followFacts: FollowFactsUseCase
  readonly checkReads: CheckReadsUseCase
  readonly status: ReadStatusUseCase
}
