import { RefusalAt } from '../../../../../application/ports/refusal.js'
import type {
  EstimateQuery,
  Previewed,
  PreviewQuery,
  RuleEstimate,
} from '../../../../../application/segments/ports/segment-queries.js'
import type { InPieces } from '../../../../../domain/in-pieces.js'
import { emptyState } from '../../../../../domain/segments/membership/entity-state.js'
import { talliedBy } from '../../../../../domain/segments/membership/event-tally.js'
import { segmentSets } from '../../../../../domain/segments/membership/replay.js'
import { segmentsNamedBy } from '../../../../../domain/segments/named-segments.js'
import type { Catalog } from '../../../../../domain/segments/catalog.js'
import { firstCount } from '../../../../../domain/segments/rule/first-count.js'
import type { Rule } from '../../../../../domain/segments/rule/rule.js'
import type { DefinedSegment } from '../../../../../domain/segments/timeline.js'
import { prepareAll, type Statements } from '../../../file/driver.js'
import { numberIn, valuesIn } from '../../../file/row.js'
import type { Applied } from '../../queries/answers.js'
import type { ReadModelTables } from '../../read-model-tables.js'
import { Slice } from '../../slice.js'
import type { CountedStep, EntityReplay, ReplayParts } from '../backfill/entity-replay.js'
import { ReplayBatches, entitiesTogether } from '../backfill/replay-batches.js'
import { subjectOf, type EntityRow } from '../evaluation/entity-states.js'
import type { LogPrefix } from '../../log-times.js'
import { PreviewCount } from './preview-count.js'
import { SeenEventNames } from './seen-events.js'
import { trialOf, withDependencies } from './trial-segment.js'

/** The most entities that an estimate evaluates. An estimate also stops after `estimateMs`. */
const estimatedEntities = 1_000
const estimateMs = 500
/** The duration of one call of `part`, in milliseconds. Each call returns the progress of the preview. */
const partMs = 400

const randomDigits = 8
const randomRange = 16 ** randomDigits

interface Trial {
  readonly replays: ReplayBatches
  readonly prefix: LogPrefix
  readonly active: string
  readonly against: string | undefined
}

/**
 * Previews the members of a rule that is not saved. A preview replays the facts of every entity up to one
 * position, like a backfill. Facts after that position do not change the result.
 */
export class RulePreviews {
  private readonly statements: Statements<typeof sql>

  constructor(
    private readonly tables: ReadModelTables,
    private readonly catalog: Catalog,
  ) {
    this.statements = prepareAll(tables.db, sql)
  }

  /**
   * Evaluates random entities, and returns the position at which all calls of `part` evaluate the preview.
   * Throws `segment_not_found` for an unknown segment, and `building` for a segment without a version that
   * queries use here.
   */
  *estimate({ rule, against }: EstimateQuery, applied: Applied): InPieces<RuleEstimate> {
    const { position, logTime } = applied
    const compared = against === undefined ? undefined : this.servedAs(against, position)
    for (const key of segmentsNamedBy(rule)) this.servedAs(key, position)
    const at = { position, logTime, against: compared?.active.id }
    const trial = this.trialOf(rule, at)
    const entities = numberIn(this.statements.count.get()) ?? 0
    const picked = this.pick(entities, position)
    const rows = (after: number) =>
      picked.slice(after, after + entitiesTogether).flatMap((entity) => this.rowOf(entity))
    const slice = new Slice(estimateMs)
    let lookedAt = 0
    let members = 0
    for (;;) {
      const replayed = trial.replays.step(() => rows(lookedAt), position)
      if (replayed === undefined) break
      lookedAt += replayed.length
      for (const replay of replayed) members += Number(evaluated(replay, trial).isIn)
      if (slice.endsHere()) break
      yield
    }
    return { at, entities, lookedAt, members }
  }

  /**
   * Returns random entities: the entities whose ids have the lowest last digits. The last digits of an id are
   * random.
   */
  private pick(entities: number, position: number): readonly number[] {
    const share = Math.min(1, (2 * estimatedEntities) / Math.max(1, entities))
    const below = Math.ceil(share * randomRange)
      .toString(16)
      .padStart(randomDigits, '0')
    const all = 'g'
    const found = this.statements.pick.all(share === 1 ? all : below, position, estimatedEntities)
    return found.map((row) => numberIn(row) ?? 0)
  }

  private rowOf(entity: number): readonly EntityRow[] {
    const row = this.statements.one.get(entity)
    return row === undefined ? [] : [rowIn(row)]
  }

  /** Evaluates the entities after `soFar.after`, for about `partMs`, and returns the counts so far. */
  *part(query: PreviewQuery): InPieces<Previewed> {
    const { at, soFar, sample } = query
    const { position } = at
    const { trial, seen } = this.rankedTrialOf(query)
    const counted = new PreviewCount(sample, soFar)
    const slice = new Slice(partMs)
    let last = soFar?.after ?? 0
    const rows = () => this.statements.after.all(last, position, entitiesTogether).map(rowIn)
    for (;;) {
      const replayed = trial.replays.step(rows, position)
      if (replayed === undefined) break
      for (const replay of replayed) {
        counted.add(replay, evaluated(replay, trial))
        last = replay.row.entity
      }
      const endsHere = slice.endsHere() && !trial.replays.isWithinEntity
      if (endsHere)
        return { ...counted.previewed(last), events: seen.soFar(this.tables.facts), isWhole: false }
      yield
    }
    return { ...counted.previewed(last), events: seen.whole(this.tables.facts), isWhole: true }
  }

  /**
   * Returns a trial that also counts the events by which members are ranked, and a collector of event names.
   */
  private rankedTrialOf({ rule, at, soFar, sum }: PreviewQuery) {
    const ranked = firstCount(rule)
    const seen = new SeenEventNames(trialOf(rule, []).active.rule?.matchers ?? [], soFar?.events)
    const tallied = ranked && talliedBy(ranked, at.logTime, sum)
    return { seen, trial: this.trialOf(rule, at, { tallied, onEntry: seen.add }) }
  }

  private servedAs(key: string, position: number): DefinedSegment {
    const { catalog } = this
    const defined = catalog.defined(key)
    if (defined === undefined) throw new RefusalAt('segment_not_found', position)
    const served = catalog.servedAs(key)
    if (served === undefined || served.isForeign || defined.isForeign) {
      throw new RefusalAt('building', position)
    }
    return served
  }

  /**
   * Returns the replays that evaluate a rule. The rule refers to the newest versions of the segments that it
   * names, like a definition that is made now.
   */
  private trialOf(
    rule: Rule,
    { position, logTime, against }: PreviewQuery['at'],
    looked: Pick<ReplayParts, 'tallied' | 'onEntry'> = {},
  ): Trial {
    const { timeline } = this.catalog
    const trial = trialOf(rule, timeline.at(position))
    const compared = against === undefined ? undefined : timeline.active(against)
    const wanted = compared === undefined ? [trial] : [trial, compared]
    const segments = withDependencies(wanted, timeline)
    const prefix = { position, logTime }
    const steps = previewSteps(segments, prefix)
    const setOf = segmentSets(steps.map((step) => step.segments))
    const replays = new ReplayBatches(
      this.tables,
      { ...looked, steps, setOf, isPublished: () => false },
      segments,
    )
    return { replays, prefix, active: trial.active.id, against }
  }
}

/**
 * Returns the definitions that a preview replays. Segments with explicitly added members are defined at the
 * position of their own definition. Segments with rules are defined after the last fact and evaluated once,
 * because membership by rule depends only on the final state of an entity.
 */
function previewSteps(
  segments: readonly DefinedSegment[],
  { position, logTime }: LogPrefix,
): readonly CountedStep[] {
  const byHand = segments
    .filter(({ kind }) => kind === 'hand')
    .sort((left, right) => left.activeFrom - right.activeFrom)
  const before = byHand.map(({ activeFrom }, at) => ({
    since: { position: activeFrom, factId: '', logTime: 0 },
    changes: [],
    segments: byHand.slice(0, at + 1),
    counted: [],
  }))
  const changes = segments
    .filter(({ kind }) => kind === 'rule')
    .map(({ key, active }) => ({ key, from: undefined, to: active }))
  const since = { position: position + 1, factId: '', logTime }
  return [...before, { since, changes, segments, counted: [] }]
}

/**
 * Returns whether a replayed entity is a member of the previewed segment, and of the segment with which the
 * preview is compared.
 */
function evaluated(replay: EntityReplay, { prefix, active, against }: Trial) {
  const { members } = replay.end(prefix.logTime)
  return { isIn: members.has(active), wasIn: against !== undefined && members.has(against) }
}

function rowIn(row: unknown): EntityRow {
  const [entity, entityId, externalId, createdAt] = valuesIn(row)
  return {
    entity: Number(entity),
    entityId: String(entityId),
    logs: [Number(entity)],
    subject: subjectOf(String(externalId), Number(createdAt)),
    state: emptyState(),
  }
}

const columns = 'entity, entity_id, external_id, coalesce(counted_created_at, created_at)'
const digits = `lower(substr(entity_id, -${String(randomDigits)}))`

const sql = {
  count: 'SELECT count(*) FROM entities',
  pick: `SELECT entity FROM entities WHERE ${digits} < ? AND entity <= ? ORDER BY ${digits} LIMIT ?`,
  one: `SELECT ${columns} FROM entities WHERE entity = ?`,
  after: `SELECT ${columns} FROM entities WHERE entity > ? AND entity <= ? ORDER BY entity LIMIT ?`,
}
