import { readEntityFact, readFact } from '../../../../application/facts/fact-format.js'
import { meaningOf } from '../../../../application/facts/fact-table.js'
import type { LoggedFact } from '../../../../application/facts/ports/fact-log.js'
import { logTimeAfter, type EntityFact } from '../../../../domain/facts.js'
import { sameJson } from '../../../../domain/json.js'
import { profileAfter, type Profile } from '../../../../domain/profile.js'
import { Refold, Replay, segmentSets } from '../../../../domain/segments/membership/replay.js'
import { relatedSteps } from '../../../../domain/segments/segment-graph.js'
import type { DefinedSegment, TimelineStep } from '../../../../domain/segments/timeline.js'
import { prepareRows } from '../../file/driver.js'
import { missing } from '../../file/fact-reader.js'
import { valuesIn } from '../../file/row.js'
import type { Entry } from '../entity-log/block.js'
import { kindOf } from '../fact-kinds.js'
import { ProfileQueries } from '../queries/profile-queries.js'
import type { ReadModelTables } from '../read-model-tables.js'
import { subjectOf } from '../segments/entity-states.js'
import type { AuditedModel, AuditedSegment } from './audited-segments.js'
import { ComparedStates } from './compare-states.js'
import type { Differences } from './differences.js'

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

interface FoldedFact {
  readonly fact: EntityFact
  readonly position: number
  readonly logTime: number
}

/** Facts that are in memory at a time: with bodies of 256 KiB, 8 MiB. */
const factsAtOnce = 32
const noSegments: readonly DefinedSegment[] = []

/**
 * A second opinion on some entities: their facts are folded one by one, without the code that packs, buffers
 * and builds, whose faults a rebuilt read model would have too.
 */
export class FoldedEntities {
  private readonly profiles: ProfileQueries
  private readonly states: ComparedStates
  private readonly steps: readonly TimelineStep[]
  private readonly setOf: ReturnType<typeof segmentSets>

  constructor(
    private readonly stored: AuditedModel,
    segments: readonly AuditedSegment[],
    private readonly logTime: number,
    private readonly found: Differences,
  ) {
    const { catalog } = stored.segments
    this.profiles = new ProfileQueries(stored.tables.db)
    this.states = new ComparedStates(segments, logTime)
    const wanted = segments.map(({ segment }) => segment)
    this.steps = relatedSteps(catalog.timeline.steps, wanted)
    this.setOf = segmentSets([noSegments, ...this.steps.map((step) => step.segments)])
  }

  /** Compares an entity of the read model with what its facts come to. Throws `UnreadableFact`. */
  compare(picked: PickedEntity): void {
    const what = `entity ${picked.externalId}`
    // What a rebuilt read model has otherwise is known.
    if (this.found.has(what)) return
    this.found.attempt(what, () => {
      this.compareFolded(what, picked)
    })
  }

  private compareFolded(what: string, picked: PickedEntity): void {
    const { found, logTime } = this
    const [entity = 0] = picked.positions
    const entries = this.stored.tables.logs.after(entity, 0)
    const refold = this.refoldOf(picked)
    let profile: Profile | undefined
    let isLogRight = true
    for (const folded of this.factsOf(picked)) {
      profile = profileAfter(profile, folded.fact)
      refold.membership.apply(folded.fact, folded.position, folded.logTime)
      isLogRight &&= isEntryOf(folded, entries.next().value)
    }
    isLogRight &&= entries.next().value === undefined
    if (!isLogRight) found.add(what, 'its log is not what is folded of its facts')
    if (profile !== undefined) this.compareProfile(what, entity, profile)
    const row = this.stored.segments.live.states?.get(entity)
    if (row === undefined) return
    const expected = { subject: refold.subject, state: refold.membership.end(logTime) }
    this.states.compare(what, row.state, { ...expected, from: 'folded' }, found)
  }

  private refoldOf({ externalId, positions }: PickedEntity) {
    const creation = this.stored.tables.facts.find(positions[0] ?? 0) ?? missing(0)
    const subject = subjectOf(externalId, Date.parse(readEntityFact(creation).recordedAt))
    const replay = new Replay(subject, this.setOf, noSegments)
    return { subject, membership: new Refold(replay, this.steps) }
  }

  private *factsOf({ positions, logTimes }: PickedEntity): Generator<FoldedFact, void> {
    for (let at = 0; at < positions.length; at += factsAtOnce) {
      const some = positions.slice(at, at + factsAtOnce)
      const stored = this.stored.tables.facts.stored(some)
      for (const [index, position] of some.entries()) {
        const fact = readEntityFact(stored.get(position) ?? missing(position))
        yield { fact, position, logTime: logTimes[at + index] ?? 0 }
      }
    }
  }

  private compareProfile(what: string, entity: number, folded: Profile): void {
    const { found } = this
    const stored = this.profiles.profile(entity)
    if (stored === undefined) return
    const fields = ['entityId', 'createdAt', 'updatedAt', 'eventCount', 'lastEventAt'] as const
    for (const field of fields) {
      found.compare(what, `${field} of its profile`, [stored[field], folded[field]], 'folded')
    }
    if (!sameJson(stored.properties.value, folded.properties)) {
      found.add(what, 'its properties are not those folded')
    }
  }
}

function isEntryOf({ fact, position, logTime }: FoldedFact, entry: Entry | undefined): boolean {
  return (
    entry?.position === position &&
    entry.kind === kindOf(fact.effect) &&
    entry.logTime === logTime &&
    entry.at === Date.parse(fact.tookEffectAt)
  )
}
