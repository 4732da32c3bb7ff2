import { readEntityFact, readFact } from '../../../../application/facts/fact-format.js'
import { meaningOf } from '../../../../application/facts/fact-table.js'
import { UnreadableFact } from '../../../../application/facts/stored-fact.js'
import type { LoggedFact } from '../../../../application/facts/ports/fact-log.js'
import { logTimeAfter, ownTimeOf, type EntityFact } from '../../../../domain/facts.js'
import { ProfileFold } from '../../../../domain/profile.js'
import type { EarlierFacts } from '../../../../domain/segments/membership/conditions.js'
import { createdAtOf, emptyState } from '../../../../domain/segments/membership/entity-state.js'
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
import { firstEventKind, kindOf, otherKind, voidKind } from '../fact-kinds.js'
import type { ReadModelTables } from '../read-model-tables.js'
import { subjectOf } from '../segments/evaluation/entity-states.js'
import type { AuditedModel, AuditedSegment } from './audited-segments.js'
import type { Differences, Fields } from './differences.js'
import { entityRows, EntityViews, logField, profileFields } from './entity-views.js'

interface PickedEntity {
  readonly externalId: string
  /** The positions of the entity's facts in the fact log. The first position belongs to the creation. */
  readonly positions: number[]
  /** The log time at each position in `positions`, in milliseconds since 1970. */
  readonly logTimes: number[]
  /** The ids of the voided events. */
  readonly voided: Set<string>
}

/**
 * Picks random entities of a read model, and collects the positions of their facts from the fact log. Reads only
 * the table `entities` and the clock floors from the read model. Needs 16 bytes of memory for each fact of a picked
 * entity.
 */
export class PickedEntities {
  /** The log time at the last added fact, in milliseconds since 1970. */
  logTime = 0
  private readonly picked: ReadonlyMap<string, PickedEntity>
  private readonly floors: ReadonlyMap<string, number>

  constructor({ db, erased }: ReadModelTables, most: number) {
    const rows = prepareRows(db, 'SELECT external_id FROM entities ORDER BY random() LIMIT ?')
    const names = rows.all(most).map((row) => String(valuesIn(row)[0]))
    this.picked = new Map(
      names.map((externalId) => [
        externalId,
        { externalId, positions: [], logTimes: [], voided: new Set() },
      ]),
    )
    this.floors = erased.clockFloors()
  }

  /** The picked entities whose creation was among the added facts. */
  get all(): readonly PickedEntity[] {
    return [...this.picked.values()].filter(({ positions }) => positions.length > 0)
  }

  /** Adds a fact. Call this with every fact, in log order. Throws `UnreadableFact`. */
  readonly add = (logged: LoggedFact): void => {
    const fact = readFact(logged)
    if (fact === undefined) return
    const meaning = meaningOf(fact)
    this.logTime = Math.max(this.floors.get(logged.id) ?? 0, logTimeAfter(this.logTime, meaning))
    const entity = meaning.entity && this.picked.get(meaning.entity.externalId)
    if (entity === undefined) return
    // A second creation with the same external id means that the first entity was erased. Removes the positions of
    // the first entity's facts.
    const effect = meaning.entity?.effect
    if (effect?.kind === 'created') {
      entity.positions.length = entity.logTimes.length = 0
      entity.voided.clear()
    }
    if (effect?.kind === 'voided') entity.voided.add(effect.event.id)
    entity.positions.push(logged.position)
    entity.logTimes.push(this.logTime)
  }
}

/**
 * The log of an entity in memory. Unlike `EntityLogs`, it packs no entries and has no index of changes by own time.
 */
class FoldedLog {
  readonly entries: Entry[] = []
  private readonly latest = { events: -Infinity, changes: -Infinity }
  private readonly changes: { readonly names: ReadonlySet<string>; readonly at: number }[] = []
  /** The events that are not voided so far. The map is filled only if some fact of the entity voids an event. */
  private readonly events = new Map<string, { readonly position: number; readonly at: number }>()

  /** `hasVoids` says whether a fact of the entity voids an event. `factAt` reads a fact of the entity. */
  constructor(
    private readonly hasVoids: boolean,
    private readonly factAt: (position: number) => EntityFact,
  ) {}

  add(fact: EntityFact, position: number, logTime: number): void {
    const { effect } = fact
    const [kind, at] = [kindOf(effect), ownTimeOf(fact, logTime)]
    if (effect.kind === 'created' || effect.kind === 'properties') {
      this.changes.push({ names: new Set([...Object.keys(effect.set), ...effect.unset]), at })
    }
    if (effect.kind === 'event' && this.hasVoids) this.events.set(fact.id, { position, at })
    const lagMs = logTime - Date.parse(fact.recordedAt)
    this.entries.push({ position, kind, logTime, lagMs, at, isStraggler: this.isLate(kind, at) })
  }

  private isLate(kind: number, at: number): boolean {
    if (kind === otherKind || kind === voidKind) return false
    const which = kind >= firstEventKind ? 'events' : 'changes'
    const isLate = at < this.latest[which]
    this.latest[which] = Math.max(this.latest[which], at)
    return isLate
  }

  /** The facts before the current fact. The current fact may void one of them. */
  readonly earlier: EarlierFacts = {
    nextChange: (name, after) => this.nextChange(name, after),
    voided: ({ id }) => {
      const found = this.events.get(id)
      this.events.delete(id)
      return found && this.eventAt(found)
    },
    newestEvents: (_name, until) =>
      [...this.events.values()]
        .filter(({ at }) => at <= until)
        .toSorted((left, right) => right.at - left.at || right.position - left.position)
        .map((placed) => this.eventAt(placed)),
  }

  private eventAt({ position, at }: { readonly position: number; readonly at: number }) {
    const { effect, id } = this.factAt(position)
    if (effect.kind !== 'event') throw new UnreadableFact(`fact ${id} is not an event`)
    return { event: effect.event, at }
  }

  private nextChange(name: string, after: number): number | undefined {
    const times = this.changes.filter(({ names, at }) => at > after && names.has(name))
    return times.length === 0 ? undefined : Math.min(...times.map(({ at }) => at))
  }
}

/** The most facts in memory. With facts of 256 KiB, this is 8 MiB. */
const factsAtOnce = 32
const noSegments: readonly DefinedSegment[] = []

/**
 * Checks some entities independently: replays their facts one by one, without the code that packs and buffers
 * rows. A fault of that code would be in both compared read models, so their comparison would not find the
 * fault.
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
    // Selects the newest version of each segment. A replay ends with the newest definitions, so it cannot check
    // the older versions that queries still use.
    const current = segments.filter(({ segment }) => catalog.segments.includes(segment))
    this.views = new EntityViews(current, logTime)
    const wanted = current.map(({ segment }) => segment)
    this.steps = catalog.timeline.related(wanted)
    this.setOf = segmentSets([noSegments, ...this.steps.map((step) => step.segments)])
  }

  /** Replays the facts of an entity and compares the result with the stored read model. Throws `UnreadableFact`. */
  compare(picked: PickedEntity, found: Differences): void {
    const sql = `SELECT entity, external_id, * FROM ${entityRows.from} WHERE entity = ?`
    const row = prepareRows(this.stored.tables.db, sql).get(picked.positions[0] ?? 0)
    const name = `entity ${picked.externalId}`
    // Skips the entity if the comparison with the rebuilt read model has already reported it.
    if (row === undefined || found.has(name)) return
    found.attempt(name, () => {
      found.compare(name, this.views.of(this.stored, valuesIn(row)), this.fold(picked), 'folded')
    })
  }

  private fold({ externalId, positions, logTimes, voided }: PickedEntity): Fields {
    const profile = new ProfileFold()
    const log = new FoldedLog(voided.size > 0, (position) => this.factAt(position))
    let membership: TimelineReplay | undefined
    let subject = subjectOf(externalId, 0)
    for (const [index, fact] of this.factsAt(positions)) {
      const [position = 0, logTime = 0] = [positions[index], logTimes[index]]
      if (membership === undefined) {
        subject = subjectOf(externalId, createdAtOf(fact, logTime))
        membership = new TimelineReplay(
          new Replay(subject, this.setOf, noSegments),
          this.steps,
          () => log.earlier,
        )
      }
      membership.apply(fact, position, logTime)
      if (!voided.has(fact.id)) profile.add(fact, logTime)
      log.add(fact, position, logTime)
    }
    const state = membership?.end(this.logTime) ?? emptyState()
    return {
      ...(profile.profile && profileFields(profile.profile)),
      ...logField(log.entries),
      ...this.views.ofState(subject, state),
    }
  }

  private factAt(position: number): EntityFact {
    const fact = this.stored.tables.facts.stored([position]).get(position)
    return readEntityFact(fact ?? missing(position))
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
