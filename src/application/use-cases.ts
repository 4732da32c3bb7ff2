import type { ErasingUseCases } from './erasing/erasing-use-cases.js'
import type { RulePreviewer } from './reading/preview-rule.js'
import type { PreviewRequest } from './reading/preview-steps.js'
import { followFactsUseCase, readFactsUseCase } from './reading/read-facts.js'
import type { ReadModel } from './reading/ports/read-model.js'
import type { SearchObserver } from './reading/ports/search-observer.js'
import { checkReadsUseCase, readUseCase } from './reading/reads.js'
import { EntitySearcher, type SearchRequest } from './reading/search-entities.js'
import type { ReadWant } from './reading/want.js'
import type { Clock, IdGenerator } from './ports/clock-and-ids.js'
import { checkReadinessUseCase } from './recording/check-readiness.js'
import { createEntityUseCase } from './recording/create-entity.js'
import type { ClockTrust } from './recording/clock-guard.js'
import type { EventStore, StoreHealth } from './recording/ports/event-store.js'
import { recordEventUseCase } from './recording/record-event.js'
import { runBatchWithin, type BatchLimits } from './recording/run-batch.js'
import { updateEntityUseCase, type IsFull } from './recording/update-entity.js'
import { voidEventUseCase, type EventFinder } from './recording/void-event.js'
import type { ExactAppends, StreamReader } from './ports/exact-appends.js'
import type { ServedOf } from './segments/served-segments.js'
import { addToSegmentUseCase, removeFromSegmentUseCase } from './segments/change-member.js'
import { defineSegmentUseCase, retireSegmentUseCase } from './segments/define-segment.js'
import type { WebhookUseCases } from './webhooks/webhook-use-cases.js'
import { DefinitionLog } from './segments/definition-log.js'

/** All use cases of the service. Every inbound adapter calls these functions. */
export interface UseCases
  extends RecordingUseCases, SegmentUseCases, ErasingUseCases, WebhookUseCases {
  /** The use cases that read. Undefined in a process that serves only writes. */
  readonly reading?: ReadingUseCases | undefined
}

export type ReadingUseCases = Readonly<ReturnType<typeof readingUseCases>>

export function readingUseCases(
  readModel: ReadModel,
  previewer: Pick<RulePreviewer, 'begin'>,
  searches: SearchObserver,
) {
  const searcher = new EntitySearcher(readModel, searches)
  return {
    read: readUseCase(readModel),
    readFacts: readFactsUseCase(readModel),
    followFacts: followFactsUseCase(readModel),
    previewRule: (request: PreviewRequest, want: ReadWant) => previewer.begin(request, want),
    searchEntities: (request: SearchRequest, want: ReadWant) => searcher.begin(request, want),
    checkReads: checkReadsUseCase(readModel),
    status: () => readModel.status,
  }
}

interface RecordingParts {
  readonly store: EventStore
  readonly health: StoreHealth
  readonly clock: Clock
  readonly trust: ClockTrust
  readonly ids: IdGenerator
  readonly isFull: IsFull
  readonly finder: EventFinder
  readonly batches: BatchLimits
}

type RecordingUseCases = Readonly<ReturnType<typeof recordingUseCases>>

/** Returns the use cases that write entities and their events. */
export function recordingUseCases(parts: RecordingParts) {
  const { store, health, clock, trust, ids, isFull, finder, batches } = parts
  return {
    createEntity: createEntityUseCase(store, clock, ids),
    updateEntity: updateEntityUseCase(store, clock, ids, isFull),
    recordEvent: recordEventUseCase(store, clock, ids),
    voidEvent: voidEventUseCase({ store, clock, ids, finder }),
    runBatch: runBatchWithin(batches),
    checkReadiness: checkReadinessUseCase(health, clock, trust),
  }
}

interface SegmentParts {
  readonly store: EventStore & ExactAppends & StreamReader
  readonly servedOf: ServedOf
  readonly clock: Clock
  readonly ids: IdGenerator
}

type SegmentUseCases = Readonly<ReturnType<typeof segmentUseCases>>

/** Returns the use cases that change segments and the members that are added by hand. */
export function segmentUseCases({ store, servedOf, clock, ids }: SegmentParts) {
  const segments = new DefinitionLog(store)
  const members = { store, segments, clock, ids }
  return {
    defineSegment: defineSegmentUseCase(segments, servedOf, clock, ids),
    retireSegment: retireSegmentUseCase(segments, clock, ids),
    addToSegment: addToSegmentUseCase(members),
    removeFromSegment: removeFromSegmentUseCase(members),
  }
}
