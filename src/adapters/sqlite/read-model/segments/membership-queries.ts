import { SegmentBuilding } from '../../../../application/reading/errors.js'
import type { EntityProfile } from '../../../../application/reading/ports/read-model.js'
import type {
  EntitySegments,
  EvaluatedEntity,
  Explanation,
  PastBounds,
} from '../../../../application/reading/ports/segment-queries.js'
import { profileAfter, type Profile } from '../../../../domain/profile.js'
import { compileRule } from '../../../../domain/segments/compiled-rule.js'
import { byActiveId, dependenciesFirst } from '../../../../domain/segments/dependencies-first.js'
import { relatedSteps } from '../../../../domain/segments/related-steps.js'
import { segmentsNamedBy } from '../../../../domain/segments/named-segments.js'
import type { Rule } from '../../../../domain/segments/rule.js'
import type { DefinedSegment, TimelineStep } from '../../../../domain/segments/timeline.js'
import type { EntityIds } from '../entity-ids.js'
import type { Applied } from '../answers.js'
import { effectOf } from '../../../../domain/segments/effect-order.js'
import { entitySegments, keysAndSince } from './entity-segments.js'
import type { Told } from './fold-membership.js'
import { membership, segmentsSince, viewOf } from './folded-answers.js'
import { nameCondition } from './hashes.js'
import type { KnownPrefix, LogTimes } from './log-times.js'
import type { OnFact, PastMemberships } from './past-memberships.js'
import type { SegmentProjection } from './segment-projection.js'

type AskedOfEntity = PastBounds & { readonly externalId: string }

interface SegmentsThere {
  readonly segments: readonly DefinedSegment[]
  readonly building: readonly string[]
}

/** A rule that was never stored. */
const trialId = ''
const trialSegment: Omit<DefinedSegment, 'active'> = {
  key: '',
  version: 0,
  title: '',
  kind: 'rule',
  rule: undefined,
  definedAt: '',
  isForeign: false,
  resolved: {},
  through: { position: 0, factId: '', logTime: 0 },
  activeFrom: 0,
}

/** Memberships at any instant and with all that led to them, folded on demand. */
export class MembershipQueries {
  constructor(
    private readonly projection: SegmentProjection,
    private readonly past: PastMemberships,
    private readonly logTimes: LogTimes,
    private readonly ids: EntityIds,
  ) {}

  /** Undefined: no such entity. */
  async ofEntity(query: AskedOfEntity, applied: Applied): Promise<EntitySegments | undefined> {
    const found = await this.foldOne(query, applied)
    if (found === undefined) return undefined
    const { segments, all, folded, building } = found
    const { entity } = viewOf(all, folded)
    const items = entitySegments(segmentsSince(segments, folded), entity, folded.now)
    return { items, building }
  }

  /** Of the same facts as its segments. Undefined: no such entity. */
  async profile(query: AskedOfEntity, applied: Applied): Promise<EntityProfile | undefined> {
    const { asOf = Infinity } = query
    let profile: Profile | undefined
    const found = await this.foldOne(query, applied, (fact) => {
      if (effectOf(fact) <= asOf) profile = profileAfter(profile, fact)
    })
    if (found === undefined || profile === undefined) return undefined
    const { segments, folded, building } = found
    const memberships = segmentsSince(segments, folded)
    return { ...profile, segments: keysAndSince(memberships), segmentsBuilding: building }
  }

  /** `onFact`: given each of its facts that was known, in the order of the log. */
  private async foldOne(query: AskedOfEntity, applied: Applied, onFact?: OnFact) {
    const entity = this.ids.of(query.externalId)
    if (entity === undefined) return undefined
    const known = this.knownBy(query, applied)
    const { segments, building } = this.segmentsAt(query, known)
    const { position } = applied
    return this.past.allow({ entities: [entity], known, position }, async (dueAt) => {
      const told = this.told(query, known, segments)
      const folded = await this.past.fold(entity, told, dueAt, onFact)
      return folded && { segments, all: lastOf(told), folded, building }
    })
  }

  async explain(
    query: PastBounds & { readonly externalId: string; readonly key: string },
    applied: Applied,
  ): Promise<{ readonly entityExists: boolean; readonly explanation: Explanation | undefined }> {
    const entity = this.ids.of(query.externalId)
    if (entity === undefined) return { entityExists: false, explanation: undefined }
    const known = this.knownBy(query, applied)
    const segment = this.segmentAt(query, known, applied)
    if (segment === undefined) return { entityExists: true, explanation: undefined }
    const { position } = applied
    return this.past.allow({ entities: [entity], known, position }, async (dueAt) => {
      const told = this.told(query, known, [segment])
      const folded = await this.past.fold(entity, told, dueAt)
      if (folded === undefined) return { entityExists: false, explanation: undefined }
      const { key, version } = segment
      const explanation = { segment: key, version, ...membership(segment, lastOf(told), folded) }
      return { entityExists: true, explanation }
    })
  }

  async evaluate(
    query: PastBounds & { readonly rule: Rule; readonly externalIds: readonly string[] },
    applied: Applied,
  ): Promise<readonly EvaluatedEntity[]> {
    const known = this.knownBy(query, applied)
    const there = this.segmentsAt(query, known)
    const named = segmentsNamedBy(query.rule)
    if (there.building.some((key) => named.has(key))) throw new SegmentBuilding(applied.position)
    const segments = this.withTrial(query.rule, there.segments)
    const told = { known, asOf: query.asOf, steps: [], segments }
    const entities = query.externalIds.flatMap((externalId) => this.ids.of(externalId) ?? [])
    const { position } = applied
    return this.past.allow({ entities, known, position }, async (dueAt) => {
      const evaluated: EvaluatedEntity[] = []
      for (const externalId of query.externalIds) {
        evaluated.push(await this.evaluateOne(externalId, told, dueAt))
      }
      return evaluated
    })
  }

  private async evaluateOne(
    externalId: string,
    told: Told,
    dueAt: number,
  ): Promise<EvaluatedEntity> {
    const entity = this.ids.of(externalId)
    const folded = entity === undefined ? undefined : await this.past.fold(entity, told, dueAt)
    const trial = told.segments.at(-1)
    if (folded === undefined || trial === undefined) return { externalId, membership: undefined }
    return { externalId, membership: membership(trial, told.segments, folded) }
  }

  /** After all that it depends on. */
  private withTrial(rule: Rule, there: readonly DefinedSegment[]): readonly DefinedSegment[] {
    const ids = new Map(there.map(({ key, active }) => [key, active.id]))
    const segmentId = (key: string) => ids.get(key)
    const active = { id: trialId, rule: compileRule(rule, { nameOf: nameCondition, segmentId }) }
    const known = byActiveId([...this.projection.catalog.timeline.steps, { segments: there }])
    const trial: DefinedSegment = { ...trialSegment, rule, active }
    return dependenciesFirst([active], (id) => (id === trialId ? trial : known.get(id)))
  }

  private knownBy({ knownAt }: PastBounds, { position, logTime }: Applied): KnownPrefix {
    const head = { position, logTime }
    return knownAt === undefined ? head : this.logTimes.until(knownAt, head)
  }

  /** Undefined: no such segment. */
  private segmentAt(
    query: PastBounds & { readonly key: string },
    known: KnownPrefix,
    { position }: Applied,
  ): DefinedSegment | undefined {
    const { segments, building } = this.segmentsAt(query, known)
    if (building.includes(query.key)) throw new SegmentBuilding(position)
    return segments.find(({ key }) => key === query.key)
  }

  /**
   * With `knownAt` what was defined then, built or not; else what is served. `building`: of which nobody
   * here can say who is in them, by key; a rule of a later program is one of them.
   */
  private segmentsAt({ knownAt }: PastBounds, known: KnownPrefix): SegmentsThere {
    const { catalog } = this.projection
    const defined = knownAt === undefined ? catalog.segments : catalog.timeline.at(known.position)
    const segments: DefinedSegment[] = []
    const building: string[] = []
    for (const segment of defined) {
      const meant = knownAt === undefined ? catalog.servedAs(segment.key) : segment
      if (meant === undefined || meant.isForeign) building.push(segment.key)
      else segments.push(meant)
    }
    return { segments, building: building.sort() }
  }

  /** All that bears on some segments, as far as they are what they are. */
  private told(
    { asOf }: PastBounds,
    known: KnownPrefix,
    segments: readonly DefinedSegment[],
  ): Told {
    const { steps } = this.projection.catalog.timeline
    if (asOf !== undefined) {
      const defined = byActiveId(steps)
      const wanted = segments.map(({ active }) => active)
      return {
        known,
        asOf,
        steps: [],
        segments: dependenciesFirst(wanted, (id) => defined.get(id)),
      }
    }
    const held = steps.filter(
      (step) =>
        step.since.position <= known.position &&
        segments.every((segment) => !isOvertakenBy(segment, step)),
    )
    return { known, asOf, steps: relatedSteps(held, segments), segments: [] }
  }
}

/** Another definition of it came. */
function isOvertakenBy(segment: DefinedSegment, step: TimelineStep): boolean {
  return step.since.position > segment.through.position && !step.segments.includes(segment)
}

/** What is evaluated in the end. */
function lastOf({ steps, segments }: Told): readonly DefinedSegment[] {
  return steps.at(-1)?.segments ?? segments
}
