import type { ReadReq } from '@eventstore/db-client/generated/streams_pb.js'
import type { StoredRecord } from './record.js'

const READ_BATCH = 32

/** The events that a filtered read of $all returns, and the interval of its checkpoints. */
export interface EventFilter {
  readonly passes: (record: StoredRecord) => boolean
  /** The number of events that are tested together. */
  readonly window: number
  /** The number of tested events after which a checkpoint is sent. Undefined without a filter. */
  readonly checkpointEvery: number | undefined
}

export function eventFilter(options: ReadReq.Options): EventFilter {
  const filter = options.getFilter()
  if (filter === undefined)
    return { passes: () => true, window: READ_BATCH, checkpointEvery: undefined }
  const byType = filter.getEventType()
  const expression = byType ?? filter.getStreamIdentifier()
  const regex = expression?.getRegex() ?? ''
  const prefixes = expression?.getPrefixList() ?? []
  const pattern = regex === '' ? undefined : new RegExp(regex)
  const window = filter.hasMax() ? filter.getMax() : READ_BATCH
  return {
    passes: (record) => {
      const name = byType === undefined ? record.stream : record.type
      return pattern?.test(name) ?? prefixes.some((prefix) => name.startsWith(prefix))
    },
    window,
    checkpointEvery: window * filter.getCheckpointintervalmultiplier(),
  }
}
