import type { Clock } from '../ports/clock.js'
import type { IdGenerator } from '../ports/id-generator.js'
import { checkReadinessUseCase } from './check-readiness.js'
import { createEntityUseCase } from './create-entity.js'
import type { ClockTrust } from './ports/clock-trust.js'
import type { EventStore } from './ports/event-store.js'
import type { StoreHealth } from './ports/store-health.js'
import { recordEventUseCase } from './record-event.js'
import { runBatchWithin, type BatchLimits } from './run-batch.js'
import { updateEntityUseCase, type IsFull } from './update-entity.js'

export interface RecordingParts {
  readonly store: EventStore
  readonly health: StoreHealth
  readonly clock: Clock
  readonly trust: ClockTrust
  readonly ids: IdGenerator
  readonly isFull: IsFull
  readonly batches: BatchLimits
}

export type RecordingUseCases = Readonly<ReturnType<typeof recordingUseCases>>

/** All that writes entities and their events. */
export function recordingUseCases(parts: RecordingParts) {
  const { store, health, clock, trust, ids, isFull, batches } = parts
  return {
    createEntity: createEntityUseCase(store, clock, ids),
    updateEntity: updateEntityUseCase(store, clock, ids, isFull),
    recordEvent: recordEventUseCase(store, clock, ids),
    runBatch: runBatchWithin(batches),
    checkReadiness: checkReadinessUseCase(health, clock, trust),
  }
}
