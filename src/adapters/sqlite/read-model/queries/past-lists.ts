import type {
  HistoryQuery,
  TimelineCursor,
} from '../../../../application/reading/ports/read-model.js'
import type { InPieces } from '../../../../domain/in-pieces.js'
import type { OwnTimeRange } from '../entity-log/own-time-order.js'
import type { ReadModelTables } from '../read-model-tables.js'
import type { LogPrefix } from '../log-times.js'
import type { Applied } from './answers.js'

/** The cursor before the first item of a list, by the order of the list. */
export const listStart: Readonly<Record<HistoryQuery['order'], TimelineCursor>> = {
  asc: { at: -Infinity, position: 0 },
  desc: { at: Infinity, position: Infinity },
}

/** Returns the range of own times that a list shows. The range begins after the cursor of the query. */
export function ownTimeRange({
  order,
  after = listStart[order],
  since = -Infinity,
  until = Infinity,
  asOf = Infinity,
}: HistoryQuery): OwnTimeRange {
  // Instants are whole milliseconds, so the range includes `asOf`.
  const before = Math.min(until, asOf + 1)
  // Position -1 sorts before all facts of an instant.
  const first = order === 'asc' ? { at: since, position: -1 } : { at: before, position: 0 }
  const isWithin = order === 'asc' ? after.at >= first.at : after.at < first.at
  return { after: isWithin ? after : first, end: order === 'asc' ? before : since }
}

/** The number of log entries that are read together. */
const entriesAtOnce = 256

/**
 * Returns the prefix of the fact log that a list uses. Returns undefined when the entity does not exist within the
 * bounds. With `knownAt`, the prefix must contain the entity's creation. With `asOf`, the prefix must contain a
 * creation, a change or an event whose own time is not after `asOf`. Voided events do not count.
 */
export function* knownPrefix(
  { logs, logTimes }: Pick<ReadModelTables, 'logs' | 'logTimes'>,
  entity: number,
  { asOf, knownAt }: Pick<HistoryQuery, 'asOf' | 'knownAt'>,
  applied: Applied,
): InPieces<LogPrefix | undefined> {
  const prefix = knownAt === undefined ? applied : logTimes.until(knownAt, applied)
  if (entity > prefix.position) return undefined
  if (asOf === undefined) return prefix
  const range = { after: listStart.asc, end: asOf + 1 }
  const voids = logs.voids.of([entity], prefix.position)
  let looked = 0
  for (const which of ['changes', 'events'] as const) {
    for (const { position } of logs.byOwnTime(which, entity, 'asc', range)) {
      if (position <= prefix.position && !voids.has(position)) return prefix
      looked += 1
      if (looked % entriesAtOnce === 0) yield
    }
  }
  return undefined
}
