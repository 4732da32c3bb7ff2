import type { CheckReadiness } from './check-readiness.js'
import type { CreateEntityUseCase } from './create-entity.js'
import type { RecordEventUseCase } from './record-event.js'

/** Everything the service can be asked to do: the inner API, whatever the way in. */
export interface UseCases {
  readonly createEntity: CreateEntityUseCase
  readonly recordEvent: RecordEventUseCase
  readonly checkReadiness: CheckReadiness
}
