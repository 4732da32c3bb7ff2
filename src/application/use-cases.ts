import type { ErasingUseCases } from './erasing/erasing-use-cases.js'
import type { ReadingUseCases } from './reading/reading-use-cases.js'
import type { RecordingUseCases } from './recording/recording-use-cases.js'
import type { SegmentUseCases } from './segments/segment-use-cases.js'

/** Everything the service can do: the inner API, whatever the way in. */
export interface UseCases extends RecordingUseCases, SegmentUseCases, ErasingUseCases {
  /** Undefined in a process that answers writes alone. */
  readonly reading?: ReadingUseCases | undefined
}
