import type { ReadReq } from '@eventstore/db-client/generated/streams_pb.js'
import type { StoredRecord } from './record.js'

/** The window of a filter that sets none. */
const readBatch = 32

/** The events that a filtered subscription to $all delivers, and the interval of its checkpoints. */
export interface EventFilter {
  readonly passes: (record: StoredRecord) => boolean
  /** The number of events that are tested together. */
  readonly window: number
  /** The number of tested events after which a checkpoint is sent. */
  readonly checkpointEvery: number
}

/** The filter by prefixes of the stream name or of the type. Undefined without a filter. */
export function eventFilter(options: ReadReq.Options): EventFilter | undefined {
  const filter = options.getFilter()
  if (filter === undefined) return undefined
  const byType = filter.getEventType()
  const prefixes = (byType ?? filter.getStreamIdentifier())?.getPrefixList() ?? []
  const window = filter.hasMax() ? filter.getMax() : readBatch
  return {
    passes: ({ stream, type }) => {
      const name = byType === undefined ? stream : type
      return prefixes.some((prefix) => name.startsWith(prefix))
    },
    window,
    checkpointEvery: window * filter.getCheckpointintervalmultiplier(),
  }
}
