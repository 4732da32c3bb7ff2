import { atOnce } from '../../../../domain/in-pieces.js'
import { AtAnyInstant } from '../../../../domain/segments/membership/entity-views.js'
import { StateView } from '../../../../domain/segments/membership/entity-state.js'
import { firstChange } from '../../../../domain/segments/membership/evaluate.js'
import type { DefinedSegment } from '../../../../domain/segments/timeline.js'
import type { EntitySegment } from '../../../../application/segments/ports/segment-queries.js'
import { prepareRows, type Database, type Statement } from '../../file/driver.js'
import { numberIn, timestampIn } from '../../file/row.js'
import type { EntityRow } from '../segments/evaluation/entity-states.js'
import type { SegmentProjection } from '../segments/segment-projection.js'
import { differencesIn, type RunQuery } from './compare-profile.js'
import type { AuditedSegment } from './audited-segments.js'
import { compareStates, lookedAt, type LookedAt } from './compare-states.js'
import type { FoldedEntity } from './folded-entity.js'

/** A segment as it is answered of an entity; a profile has no `until`. */
type Answered = Pick<EntitySegment, 'key' | 'since'> & Partial<Pick<EntitySegment, 'until'>>

/** Compares the memberships of entities, and what they are evaluated with, with their own facts. */
export class ComparedMemberships {
  private readonly listed: Statement
  private readonly looked: LookedAt
  private readonly rules: ReadonlyMap<string, DefinedSegment['active']['rule']>

  constructor(
    db: Database,
    private readonly query: RunQuery,
    private readonly projection: SegmentProjection,
    private readonly segments: readonly AuditedSegment[],
    private readonly logTime: number,
  ) {
    this.listed = prepareRows(db, 'SELECT since FROM members WHERE segment = ? AND entity = ?')
    this.looked = lookedAt(segments)
    this.rules = new Map(segments.map(({ segment: { active } }) => [active.id, active.rule]))
  }

  async compare(folded: FoldedEntity, inProfile: readonly Answered[]): Promise<readonly string[]> {
    if (this.segments.length === 0) return []
    const { externalId } = folded.profile
    const served = this.segments.filter(
      ({ segment }) => this.projection.catalog.servedAs(segment.key) === segment,
    )
    return [
      ...(await differencesIn('what is kept of it', () => Promise.resolve(this.stateOf(folded)))),
      ...this.compareAnswered('its profile', inProfile, served, folded),
      ...(await differencesIn('its segments', async () => {
        const answered = await this.query('entitySegments', { externalId })
        return this.compareAnswered('its segments', answered?.items, served, folded)
      })),
      ...(await this.compareAtHead(folded)),
    ]
  }

  /** As they are folded on demand, with all that is applied. */
  private compareAtHead(folded: FoldedEntity): Promise<readonly string[]> {
    const what = 'its segments by known_at'
    const { externalId } = folded.profile
    return differencesIn(what, async () => {
      const answered = await this.query('entitySegments', { externalId, knownAt: this.logTime })
      return this.compareAnswered(what, answered?.items, this.segments, folded)
    })
  }

  private stateOf(folded: FoldedEntity): readonly string[] {
    const [entity = 0] = folded.changes
    const row = this.projection.live.states?.get(entity)
    if (row === undefined) return []
    return [
      ...this.segments.flatMap((segment) => this.compareMembership(segment, row, folded)),
      ...compareStates(row.state, folded.state, this.looked),
      ...this.compareDue(row, folded),
    ]
  }

  private compareMembership(
    { name, segment, generation }: AuditedSegment,
    { entity, state }: EntityRow,
    folded: FoldedEntity,
  ): readonly string[] {
    const { id } = segment.active
    const expected = folded.state.members.get(id)
    const listed = numberIn(this.listed.get(generation.id, entity))
    const inState = state.members.get(id)
    if (listed === expected && inState === expected) return []
    return [
      `${name}: ${sinceText(expected)} by its facts, ${sinceText(listed)} in the list of ` +
        `members, ${sinceText(inState)} in what is kept of it`,
    ]
  }

  /** It may be due too early, which costs an evaluation that finds nothing; never too late. */
  private compareDue({ state: { due } }: EntityRow, folded: FoldedEntity): readonly string[] {
    const { logTime } = this
    const view = this.viewOf(folded)
    const changes = [...this.rules.values()].map(
      (rule) => (rule && atOnce(firstChange(rule.node, view, logTime))) ?? Infinity,
    )
    const latest = Math.min(...changes)
    if (due > logTime && due <= latest) return []
    return [`it is due ${dueText(due)}, and must be after log time and by ${dueText(latest)}`]
  }

  private compareAnswered(
    what: string,
    answered: readonly Answered[] = [],
    segments: readonly AuditedSegment[],
    folded: FoldedEntity,
  ): readonly string[] {
    return segments.flatMap(({ name, segment }) => {
      const found = answered.find(({ key }) => key === segment.key)
      const own = this.membershipOf(segment, folded)
      const hasUntil = found === undefined || 'until' in found
      const isSame = found?.since === own?.since && (!hasUntil || found?.until === own?.until)
      if (isSame) return []
      return [`${what}: ${name}: ${membershipText(found)}, by its facts ${membershipText(own)}`]
    })
  }

  private membershipOf(
    { key, active }: DefinedSegment,
    folded: FoldedEntity,
  ): Answered | undefined {
    const since = folded.state.members.get(active.id)
    if (since === undefined) return undefined
    const until =
      active.rule && atOnce(firstChange(active.rule.node, this.viewOf(folded), this.logTime))
    return {
      key,
      since: timestampIn(since),
      until: until === undefined ? undefined : timestampIn(until),
    }
  }

  private viewOf({ subject, state }: FoldedEntity): AtAnyInstant {
    return new AtAnyInstant(new StateView(subject, state), (id) => this.rules.get(id)?.node)
  }
}

function membershipText(membership: Answered | undefined): string {
  if (membership === undefined) return 'no member'
  const { since, until } = membership
  return `since ${since}${until === undefined ? '' : ` until ${until}`}`
}

function sinceText(since: number | undefined): string {
  return since === undefined ? 'no member' : `since ${timestampIn(since)}`
}

function dueText(due: number): string {
  return due === Infinity ? 'never' : timestampIn(due)
}
