import type { CheckReadiness } from './recording/check-readiness.js'
import type { CreateEntityUseCase } from './recording/create-entity.js'
import type { RecordEventUseCase } from './recording/record-event.js'
import type { RunBatch } from './recording/run-batch.js'
import type { UpdateEntityUseCase } from './recording/update-entity.js'

/** Everything the service can be asked to do: the inner API, whatever the way in. */
export interface UseCases {
  readonly createEntity: CreateEntityUseCase
  readonly updateEntity: UpdateEntityUseCase
  readonly recordEvent: RecordEventUseCase
  readonly runBatch: RunBatch
  readonly checkReadiness: CheckReadiness
}
