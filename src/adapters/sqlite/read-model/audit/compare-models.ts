import { setImmediate as immediate } from 'node:timers/promises'
import type { AuditProgress } from '../../../../application/auditing/audit-account.js'
import { prepareRows } from '../../file/driver.js'
import { bytesIn, timestampIn, valuesIn } from '../../file/row.js'
import type { Entry } from '../entity-log/block.js'
import { logHeadIn } from '../entity-log/log-blocks.js'
import { storedCheckpoint } from '../read-model-version.js'
import type { AuditedModel, AuditedSegment } from './audited-segments.js'
import { ComparedStates } from './compare-states.js'
import { compareTables } from './compare-tables.js'
import type { Differences } from './differences.js'
import { pairedRows, type Row, type RowPair } from './ordered-rows.js'

const entityRows = {
  from: 'entities LEFT JOIN entity_logs USING (entity)',
  key: { entity: -1 },
  columns: [
    ...['external_id', 'properties', 'entity_id', 'created_at', 'updated_at', 'is_full'],
    'entity_logs.log',
  ],
}

const entitiesAtOnce = 500

/** Compares what two read models of the same facts hold, every entity of them. */
export class ComparedModels {
  private readonly states: ComparedStates

  /** `skipped`: entities by their numbers. */
  constructor(
    private readonly stored: AuditedModel,
    private readonly rebuilt: AuditedModel,
    segments: readonly AuditedSegment[],
    private readonly skipped: ReadonlySet<number>,
    private readonly found: Differences,
  ) {
    this.states = new ComparedStates(segments, storedCheckpoint(rebuilt.tables.db).logTime)
  }

  /** Returns how many entities were compared. */
  async compare(progress: AuditProgress): Promise<number> {
    const { stored, rebuilt, skipped, found } = this
    const dbs = { stored: stored.tables.db, rebuilt: rebuilt.tables.db }
    const { checkpoint, logTime } = storedCheckpoint(dbs.rebuilt)
    const logTimes = [storedCheckpoint(dbs.stored).logTime, logTime].map(timestampIn)
    found.compare('the read model', 'log time', [logTimes[0], logTimes[1]], 'rebuilt')
    // An index that has lost a row answers that an entity is not there.
    for (const row of prepareRows(dbs.stored, 'PRAGMA integrity_check(100)').all()) {
      const [fault] = valuesIn(row)
      if (fault !== 'ok') found.add('the file', String(fault))
    }
    let compared = 0
    for (const pair of pairedRows(dbs, entityRows)) {
      this.compareEntity(pair)
      compared += 1
      if (compared % entitiesAtOnce > 0) continue
      const [entity] = pair.stored ?? pair.rebuilt ?? []
      progress.done(entitiesAtOnce, Number(entity) / checkpoint.position)
      await immediate()
    }
    compareTables(dbs, stored.tables.keepsFacts, skipped, found)
    progress.done(compared % entitiesAtOnce, 1)
    return compared
  }

  private compareEntity({ stored, rebuilt }: RowPair): void {
    const { found } = this
    const [entity, externalId] = stored ?? rebuilt ?? []
    if (this.skipped.has(Number(entity))) return
    const subject = `entity ${String(externalId)}`
    if (stored === undefined) found.add(subject, 'it is missing, and a fact creates it')
    else if (rebuilt === undefined) found.add(subject, 'no fact creates it')
    else
      found.attempt(subject, () => {
        this.compareProfiles(subject, stored, rebuilt)
        this.compareLogs(subject, Number(entity))
        this.compareStates(subject, Number(entity))
      })
  }

  /** Values of properties are not shown. */
  private compareProfiles(subject: string, stored: Row, rebuilt: Row): void {
    const { found } = this
    if (stored[2] !== rebuilt[2]) found.add(subject, 'its properties are not those rebuilt')
    const byFacts = fieldsOf(rebuilt)
    for (const [name, value] of fieldsOf(stored)) {
      found.compare(subject, name, [value, byFacts.get(name)], 'rebuilt')
    }
  }

  /** The first entry that differs is said. */
  private compareLogs(subject: string, entity: number): void {
    const stored = this.stored.tables.logs.after(entity, 0)
    const rebuilt = this.rebuilt.tables.logs.after(entity, 0)
    for (let place = 1; ; place += 1) {
      const [left, right] = [stored.next().value, rebuilt.next().value]
      if (left === undefined && right === undefined) return
      if (isSameEntry(left, right)) continue
      const [here, there] = [this.factAt(left), this.factAt(right)]
      const fault = here === there ? `${here}, and not rebuilt so` : `${here}, rebuilt ${there}`
      this.found.add(subject, `item ${String(place)} of its log is ${fault}`)
      return
    }
  }

  private factAt(entry: Entry | undefined): string {
    if (entry === undefined) return 'missing'
    const fact = this.stored.tables.facts.find(entry.position)
    return fact === undefined ? `no fact (at ${String(entry.position)})` : `fact ${fact.id}`
  }

  private compareStates(subject: string, entity: number): void {
    const stored = this.stored.segments.live.states?.get(entity)
    const rebuilt = this.rebuilt.segments.live.states?.get(entity)
    if (stored === undefined || rebuilt === undefined) return
    const { subject: of, state } = rebuilt
    this.states.compare(subject, stored.state, { subject: of, state, from: 'rebuilt' }, this.found)
  }
}

/** What a row of an entity says, by the names under which it is answered. */
function fieldsOf([, externalId, , entityId, createdAt, updatedAt, isFull, log]: Row) {
  const { eventCount, latestAt, inOrder, changes, blocks } = logHeadIn(bytesIn(log))
  return new Map<string, number | string>([
    ['external_id', String(externalId)],
    ['entity_id', String(entityId)],
    ['created_at', timestampIn(createdAt)],
    ['updated_at', timestampIn(updatedAt)],
    ['whether its profile is full', isFull === 1 ? 'yes' : 'no'],
    ['event_count', eventCount],
    ['last_event_at', latestAt === -Infinity ? 'none' : timestampIn(latestAt)],
    ['its number of events in order', inOrder],
    ['its number of changes', changes],
    ['its number of full blocks', blocks],
  ])
}

const entryFields = ['position', 'kind', 'logTime', 'behind', 'at', 'isStraggler'] as const

function isSameEntry(left: Entry | undefined, right: Entry | undefined): boolean {
  return entryFields.every((field) => left?.[field] === right?.[field])
}
