import { PackedReader, PackedWriter } from './packed-numbers.js'
import type { BlockWriter } from './block.js'

/** What is counted of an entity's facts. */
export interface LogCounts {
  eventCount: number
  /** The greatest own time of an event; -Infinity: there is none. */
  latestAt: number
  /** How many events are no stragglers. */
  inOrder: number
  /** How many facts are in a history. */
  changes: number
  /** The number of full blocks, and so the number of the last one. */
  blocks: number
}

/** The row of an entity. */
export interface LogHead extends Readonly<LogCounts> {
  /** The last block begins at `tailFrom`. */
  readonly bytes: Uint8Array
  readonly tailFrom: number
}

const maxBytes = 48

/** In SQL: of a row of `entity_logs`, without its last block, which a count has no need of. */
export const countsColumn = `substr(entity_logs.log, 1, ${String(maxBytes)})`

const reader = new PackedReader()
const writer = new PackedWriter(maxBytes)

/** `bytes`: a row, or its `countsColumn`. */
export function logHeadIn(bytes: Uint8Array): LogHead {
  reader.begin(bytes)
  const eventCount = reader.number()
  const latestAt = eventCount === 0 ? -Infinity : reader.signed()
  const stragglers = reader.number()
  const changes = reader.number()
  const blocks = reader.number()
  const inOrder = eventCount - stragglers
  return { eventCount, latestAt, inOrder, changes, blocks, bytes, tailFrom: reader.next }
}

export function logHeadBytes(counts: Readonly<LogCounts>, tail: BlockWriter): Uint8Array {
  const { eventCount, latestAt, inOrder, changes, blocks } = counts
  writer.clear()
  writer.putNumber(eventCount)
  if (eventCount > 0) writer.putSigned(latestAt)
  writer.putNumber(eventCount - inOrder)
  writer.putNumber(changes)
  writer.putNumber(blocks)
  return tail.written(writer)
}
