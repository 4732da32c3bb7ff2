import { erasuresStream, type ErasureFact } from '../../domain/erasures.js'
import { ExactStream } from '../exact-stream.js'
import type { ExactAppends, StreamReader } from '../ports/exact-appends.js'
import { RecordedErasures } from './recorded-erasures.js'

export type Erasures = Omit<RecordedErasures, 'add'>

/** The stream `erasures`. Its state is the list of all recorded erasures. */
export class ErasureLog extends ExactStream<Erasures, ErasureFact> {
  constructor(store: ExactAppends & StreamReader) {
    super(store, { stream: erasuresStream, types, empty: () => new RecordedErasures() })
  }
}

const types = [
  'EntityErasureRecorded',
  'ErasedFactsRemoved',
  'ErasurePlaceChecked',
  'ErasureConfirmed',
  'ErasureSuppressionLifted',
] as const
