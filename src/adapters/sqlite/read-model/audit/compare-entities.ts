import { AtAnyInstant } from '../../../../domain/segments/at-any-instant.js'
import { StateView } from '../../../../domain/segments/entity-state.js'
import { firstChange } from '../../../../domain/segments/evaluate.js'
import { relatedSteps } from '../../../../domain/segments/related-steps.js'
import { prepareRows, type Database, type Statement } from '../../file/driver.js'
import { numberIn } from '../../file/row.js'
import { timestampIn } from '../columns.js'
import type { KnownFacts } from '../known-facts.js'
import { buildBundle, liveBundle } from '../segments/bundles.js'
import type { Folded, Told } from '../segments/fold-membership.js'
import { EntityRows, type EntityRow } from '../segments/entity-rows.js'
import { Epochs } from '../segments/epochs.js'
import { conditionsOf } from '../segments/known-conditions.js'
import type { KnownPrefix } from '../segments/log-times.js'
import { PastMemberships } from '../segments/past-memberships.js'
import type { SegmentProjection } from '../segments/segment-projection.js'
import type { AuditedSegment } from './audited-segments.js'
import { compareStates, lookedAt, type LookedAt } from './compare-states.js'

/** Compares what is kept of entities with what their own facts come to. */
export class ComparedEntities {
  private readonly past: PastMemberships
  private readonly rows: EntityRows
  private readonly listed: Statement
  private readonly told: Told
  private readonly looked: LookedAt
  private readonly ownFacts: Statement
  /** So many were folded. */
  facts = 0

  /** `segments`: those that are compared. `known`: all that the read model knows. */
  constructor(
    db: Database,
    facts: KnownFacts,
    projection: SegmentProjection,
    private readonly segments: readonly AuditedSegment[],
    private readonly known: KnownPrefix,
  ) {
    const defined = segments.map(({ segment }) => segment)
    const joined = projection.builds.isJoining ? buildBundle : undefined
    this.past = new PastMemberships(db, facts)
    const kept = new Epochs(db).known(conditionsOf(defined))
    this.rows = new EntityRows(db, liveBundle, joined, kept)
    this.listed = prepareRows(db, 'SELECT since FROM members WHERE segment = ? AND entity = ?')
    this.ownFacts = prepareRows(db, 'SELECT count(*) FROM places WHERE entity = ?')
    const steps = relatedSteps(projection.catalog.timeline.steps, defined)
    this.told = { known, asOf: undefined, steps, segments: [] }
    this.looked = lookedAt(segments)
  }

  /** The differences of one, for people. */
  async compare(entity: number): Promise<readonly string[]> {
    // Nobody waits for it.
    const folded = await this.past.fold(entity, this.told, Infinity)
    this.facts += numberIn(this.ownFacts.get(entity)) ?? 0
    const row = this.rows.get(entity)
    if (row === undefined) return []
    const name = `entity ${row.entityId}`
    if (folded === undefined) return [`${name}: no fact of the log creates it`]
    return [
      ...this.segments.flatMap((segment) => this.compareMembership(segment, row, folded)),
      ...compareStates(row.state, folded.state, this.looked),
      ...this.compareDue(row, folded),
    ].map((difference) => `${name}: ${difference}`)
  }

  private compareMembership(
    { name, segment, kept }: AuditedSegment,
    { entity, state }: EntityRow,
    folded: Folded,
  ): readonly string[] {
    const { id } = segment.active
    const expected = folded.state.members.get(id)
    const listed = numberIn(this.listed.get(kept.id, entity))
    const inState = state.members.get(id)
    if (listed === expected && inState === expected) return []
    return [
      `${name}: ${sinceText(expected)} by its facts, ${sinceText(listed)} in the list of ` +
        `members, ${sinceText(inState)} in what is kept of it`,
    ]
  }

  /** It may be due too early, which costs an evaluation that finds nothing; never too late. */
  private compareDue({ state: { due } }: EntityRow, { subject, state }: Folded): readonly string[] {
    const { logTime } = this.known
    const rules = new Map(this.segments.map(({ segment: { active } }) => [active.id, active.rule]))
    const view = new AtAnyInstant(new StateView(subject, state), (id) => rules.get(id)?.node)
    const changes = [...rules.values()].map(
      (rule) => (rule && firstChange(rule.node, view, logTime)) ?? Infinity,
    )
    const latest = Math.min(...changes)
    if (due > logTime && due <= latest) return []
    return [`it is due ${dueText(due)}, and must be after log time and by ${dueText(latest)}`]
  }
}

function sinceText(since: number | undefined): string {
  return since === undefined ? 'no member' : `since ${timestampIn(since)}`
}

function dueText(due: number): string {
  return due === Infinity ? 'never' : timestampIn(due)
}
