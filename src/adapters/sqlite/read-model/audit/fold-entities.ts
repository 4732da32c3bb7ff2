import { readEntityFact, readFact } from '../../../../application/facts/fact-format.js'
import { meaningOf } from '../../../../application/facts/fact-table.js'
import type { LoggedFact } from '../../../../application/facts/ports/fact-log.js'
import { logTimeAfter, type EntityFact } from '../../../../domain/facts.js'
import { profileAfter, type Profile } from '../../../../domain/profile.js'
import { emptyState } from '../../../../domain/segments/membership/entity-state.js'
import {
  Replay,
  segmentSets,
  TimelineReplay,
} from '../../../../domain/segments/membership/replay.js'
import type { DefinedSegment, TimelineStep } from '../../../../domain/segments/timeline.js'
import { prepareRows } from '../../file/driver.js'
import { missing } from '../../file/fact-reader.js'
import { valuesIn } from '../../file/row.js'
import type { Entry } from '../entity-log/block.js'
import { kindOf } from '../fact-kinds.js'
import type { ReadModelTables } from '../read-model-tables.js'
import { subjectOf } from '../segments/evaluation/entity-states.js'
import type { AuditedModel, AuditedSegment } from './audited-segments.js'
import type { Differences, Fields } from './differences.js'
import { entityRows, EntityViews, logField, profileFields } from './entity-views.js'

interface PickedEntity {
  readonly externalId: string
  /** Of its facts in the log; the creation is the first. */
  readonly positions: number[]
  /** Log time at each of them, in milliseconds since 1970. */
  readonly logTimes: number[]
}

/**
 * Some entities of a read model at random, and where the log has their facts: no other table of the read model
 * is trusted. 16 bytes of memory for each fact of a picked entity.
 */
export class PickedEntities {
  /** At the last fact that was added, in milliseconds since 1970. */
  logTime = 0
  private readonly picked: ReadonlyMap<string, PickedEntity>
  private readonly floors: ReadonlyMap<string, number>

  constructor({ db, erased }: ReadModelTables, most: number) {
    const rows = prepareRows(db, 'SELECT external_id FROM entities ORDER BY random() LIMIT ?')
    const names = rows.all(most).map((row) => String(valuesIn(row)[0]))
    this.picked = new Map(
      names.map((externalId) => [externalId, { externalId, positions: [], logTimes: [] }]),
    )
    this.floors = erased.clockFloors()
  }

  /** Those that a fact creates. */
  get all(): readonly PickedEntity[] {
    return [...this.picked.values()].filter(({ positions }) => positions.length > 0)
  }

  /** To be called with all facts, in the order of the log. Throws `UnreadableFact`. */
  readonly add = (logged: LoggedFact): void => {
    const fact = readFact(logged)
    if (fact === undefined) return
    const meaning = meaningOf(fact)
    this.logTime = Math.max(this.floors.get(logged.id) ?? 0, logTimeAfter(this.logTime, meaning))
    const entity = meaning.entity && this.picked.get(meaning.entity.externalId)
    if (entity === undefined) return
    // An entity that had the name before is erased.
    if (meaning.entity?.effect.kind === 'created')
      entity.positions.length = entity.logTimes.length = 0
    entity.positions.push(logged.position)
    entity.logTimes.push(this.logTime)
  }
}

/** Facts that are in memory at a time: with bodies of 256 KiB, 8 MiB. */
const factsAtOnce = 32
const noSegments: readonly DefinedSegment[] = []

/**
 * A second opinion on some entities: their facts are folded one by one, without the code that packs, buffers
 * and builds, whose faults a rebuilt read model would have too.
 */
export class FoldedEntities {
  private readonly views: EntityViews
  private readonly steps: readonly TimelineStep[]
  private readonly setOf: ReturnType<typeof segmentSets>

  constructor(
    private readonly stored: AuditedModel,
    segments: readonly AuditedSegment[],
    private readonly logTime: number,
  ) {
    const { catalog } = stored.segments
    // A fold ends with the newest definitions: an older version that is still served is not among them.
    const current = segments.filter(({ segment }) => catalog.segments.includes(segment))
    this.views = new EntityViews(current, logTime)
    const wanted = current.map(({ segment }) => segment)
    this.steps = catalog.timeline.related(wanted)
    this.setOf = segmentSets([noSegments, ...this.steps.map((step) => step.segments)])
  }

  /** Throws `UnreadableFact`. */
  compare(picked: PickedEntity, found: Differences): void {
    const sql = `SELECT entity, external_id, * FROM ${entityRows.from} WHERE entity = ?`
    const row = prepareRows(this.stored.tables.db, sql).get(picked.positions[0] ?? 0)
    const name = `entity ${picked.externalId}`
    // The rebuilt read model says what differs of it.
    if (row === undefined || found.has(name)) return
    found.attempt(name, () => {
      found.compare(name, this.views.of(this.stored, valuesIn(row)), this.fold(picked), 'folded')
    })
  }

  private fold({ externalId, positions, logTimes }: PickedEntity): Fields {
    const entries: Entry[] = []
    let profile: Profile | undefined
    let membership: TimelineReplay | undefined
    let subject = subjectOf(externalId, 0)
    let latestAt = -Infinity
    for (const [index, fact] of this.factsAt(positions)) {
      const [position = 0, logTime = 0] = [positions[index], logTimes[index]]
      const recordedAt = Date.parse(fact.recordedAt)
      if (membership === undefined) {
        subject = subjectOf(externalId, recordedAt)
        membership = new TimelineReplay(new Replay(subject, this.setOf, noSegments), this.steps)
      }
      membership.apply(fact, position, logTime)
      profile = profileAfter(profile, fact)
      const [kind, at] = [kindOf(fact.effect), Date.parse(fact.tookEffectAt)]
      const isEvent = fact.effect.kind === 'event'
      const isStraggler = isEvent && at < latestAt
      if (isEvent) latestAt = Math.max(latestAt, at)
      entries.push({ position, kind, logTime, behind: logTime - recordedAt, at, isStraggler })
    }
    const state = membership?.end(this.logTime) ?? emptyState()
    return {
      ...(profile && profileFields(profile)),
      ...logField(entries),
      ...this.views.ofState(subject, state),
    }
  }

  private *factsAt(positions: readonly number[]): Generator<readonly [number, EntityFact], void> {
    for (let first = 0; first < positions.length; first += factsAtOnce) {
      const some = positions.slice(first, first + factsAtOnce)
      const stored = this.stored.tables.facts.stored(some)
      for (const [index, position] of some.entries()) {
        yield [first + index, readEntityFact(stored.get(position) ?? missing(position))]
      }
    }
  }
}
