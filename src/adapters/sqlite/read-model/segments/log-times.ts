import { prepareRows, type Statement } from '../../file/driver.js'
import { numberIn } from '../../file/row.js'
import type { FactReader } from '../../file/fact-reader.js'
import type { ReadModelTables } from '../read-model-tables.js'
import { readFact } from '../../../../application/facts/fact-format.js'
import { meaningOf } from '../../../../application/facts/fact-table.js'

export interface LogPrefix {
  /** The position of its last fact; 0 when there is none. */
  readonly position: number
  /** Log time there, in milliseconds since 1970; 0 when there is none. */
  readonly logTime: number
}

type LookedAt = Pick<ReadModelTables, 'db' | 'ids' | 'logs'> & {
  readonly facts: Pick<FactReader, 'page'>
}

/** Log time at positions: it is stored beside each fact, and never goes back. */
export class LogTimes {
  private readonly other: Statement

  constructor(private readonly tables: LookedAt) {
    this.other = prepareRows(tables.db, 'SELECT log_time FROM other_facts WHERE position = ?')
  }

  /** The log up to the last position at which log time is at most `instant`. `head`: all that is applied. */
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

  private next(after: number, head: number): LogPrefix | undefined {
    const { facts, ids, logs } = this.tables
    for (let last = after; ;) {
      const [logged] = facts.page(last, head, { facts: 1, bytes: 1 })
      if (logged === undefined) return undefined
      last = logged.position
      const fact = readFact(logged)
      const about = fact && meaningOf(fact).entity
      const entity = about && ids.of(about.externalId)
      const logTime =
        entity === undefined ? numberIn(this.other.get(last)) : logs.at(entity, last)?.logTime
      if (logTime !== undefined) return { position: last, logTime }
    }
  }
}
