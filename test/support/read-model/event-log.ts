import type { Database } from '../../../src/adapters/sqlite/file/driver.js'
import { EntityLogs } from '../../../src/adapters/sqlite/read-model/entity-log/entity-logs.js'
import { logTables } from '../../../src/adapters/sqlite/read-model/entity-log/log-blocks.js'
import { eventKind } from '../../../src/adapters/sqlite/read-model/fact-kinds.js'
import { toStored } from '../../../src/application/facts/fact-format.js'
import type { StoredFact } from '../../../src/application/facts/stored-fact.js'

export const entity = 1
/** The log time at the first fact. Log time grows by a millisecond from fact to fact. */
export const firstAt = Date.UTC(2026, 10, 20)

const name = 'purchase'
const iso = (milliseconds: number) => new Date(milliseconds).toISOString()

interface Recording {
  readonly at: number
  readonly lagMs?: number
  /** The time at which the id was generated. Undefined: the time of recording. */
  readonly idAt?: number
}

interface LoggedEvent {
  readonly id: string
  readonly name: string
  readonly at: number
  readonly recordedAt: number
  readonly position: number
}

/** The log of one entity and its facts, which counts the facts that are read. */
export class EventLog {
  readonly logs: EntityLogs
  /** The number of facts that were read. */
  reads = 0
  private readonly events: LoggedEvent[] = []
  private readonly stored = new Map<number, StoredFact>()
  private count = 0

  constructor(db: Database) {
    db.exec(logTables)
    this.logs = new EntityLogs(db)
  }

  /** The reader of facts. */
  readonly facts = {
    stored: (positions: readonly number[]): ReadonlyMap<number, StoredFact> => {
      this.reads += positions.length
      return new Map(
        positions.flatMap((position) => {
          const fact = this.stored.get(position)
          return fact === undefined ? [] : [[position, fact] as const]
        }),
      )
    },
  }

  /** Adds an entry without a fact. */
  add(kind: number, at: number, lagMs = 0): number {
    const position = (this.count += 1)
    this.logs.pending.add(entity, { position, kind, logTime: firstAt + position, lagMs, at })
    return position
  }

  record({ at, lagMs = 0, idAt }: Recording): void {
    const position = this.add(eventKind(name), at, lagMs)
    const recordedAt = firstAt + position - lagMs
    const id = idOf(idAt ?? recordedAt, position)
    const times = { recordedAt: iso(recordedAt), occurredAt: iso(at) }
    const data = { entityExternalId: 'ada', name, properties: {}, ...times }
    const fact = { id, type: 'EventRecorded', data } as const
    this.stored.set(position, toStored(fact, { requestId: 'r', keyHash: undefined }))
    this.events.push({ id, name, at, recordedAt, position })
  }

  /** Returns the event that was recorded as the `n`th one, from 1. */
  event(n: number): LoggedEvent {
    const event = this.events[n - 1]
    if (event === undefined) throw new RangeError(`there is no event ${String(n)}`)
    return event
  }
}

/** Returns a UUID of version 7. */
function idOf(at: number, n: number): string {
  const hex = at.toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-${String(n).padStart(12, '0')}`
}
