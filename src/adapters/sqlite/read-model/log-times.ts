import { prepareRows, type Database, type Statement } from '../file/driver.js'
import { numberIn } from '../file/row.js'
import type { LoggedFact } from '../../../application/facts/ports/fact-log.js'
import type { FactReader } from '../file/fact-reader.js'
import type { EntityIds } from './entity-ids.js'
import type { EntityLogs } from './entity-log/entity-logs.js'
import { readFact } from '../../../application/facts/fact-format.js'
import { meaningOf } from '../../../application/facts/fact-table.js'

export interface LogPrefix {
  /** The position of the last fact in the prefix, or 0 when the prefix is empty. */
  readonly position: number
  /** The log time at the last fact in the prefix, in milliseconds since 1970, or 0 when the prefix is empty. */
  readonly logTime: number
}

interface LookedAt {
  readonly db: Database
  readonly ids: Pick<EntityIds, 'of'>
  readonly logs: Pick<EntityLogs, 'at'>
  readonly facts: Pick<FactReader, 'page'>
}

/**
 * Finds the log time at a position, and the positions up to a log time. The tables store the log time at each
 * fact. Log time never decreases.
 */
export class LogTimes {
  private readonly other: Statement

  constructor(private readonly tables: LookedAt) {
    this.other = prepareRows(tables.db, 'SELECT log_time FROM other_facts WHERE position = ?')
  }

  /**
   * Returns the longest prefix of the fact log whose log time is at most `instant`. `head` is the prefix that
   * is applied.
   */
  until(instant: number, head: LogPrefix): LogPrefix {
    if (head.logTime <= instant) return head
    let prefix: LogPrefix = { position: 0, logTime: 0 }
    let after = 0
    let before = head.position
    while (after < before) {
      const middle = Math.floor((after + before) / 2)
      const next = this.next(middle, head.position)
      if (next !== undefined && next.logTime <= instant) {
        prefix = next
        after = next.position
      } else {
        before = middle
      }
    }
    return prefix
  }

  /**
   * Returns the log time at a fact. Returns undefined when the read model does not store it, for example at a
   * removed fact of an erased entity.
   */
  at(logged: LoggedFact): number | undefined {
    const { ids, logs } = this.tables
    const { position } = logged
    const fact = readFact(logged)
    const about = fact && meaningOf(fact).entity
    const entity = about && ids.of(about.externalId)
    if (entity === undefined) return numberIn(this.other.get(position))
    return logs.at(entity, position)?.logTime
  }

  private next(after: number, head: number): LogPrefix | undefined {
    for (let last = after; ;) {
      const [logged] = this.tables.facts.page(last, head, { facts: 1, bytes: 1 })
      if (logged === undefined) return undefined
      last = logged.position
      const logTime = this.at(logged)
      if (logTime !== undefined) return { position: last, logTime }
    }
  }
}
