import { RecordedDefinitions, type Definitions } from '../../domain/segments/definitions.js'
import {
  segmentsStream,
  type SegmentDefined,
  type SegmentRetired,
} from '../../domain/segments/segment-facts.js'
import { ExactStream } from '../exact-stream.js'
import type { ExactAppends, StreamReader } from '../ports/exact-appends.js'

/** The stream `segments`. Its state is the set of segment definitions. */
export class DefinitionLog extends ExactStream<Definitions, SegmentDefined | SegmentRetired> {
  constructor(store: ExactAppends & StreamReader) {
    const types = ['SegmentDefined', 'SegmentRetired'] as const
    super(store, { stream: segmentsStream, types, empty: () => new RecordedDefinitions() })
  }
}
