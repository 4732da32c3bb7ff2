import { SegmentBuilding } from '../../../../application/reading/errors.js'
import type {
  EntitySegment,
  EvaluatedEntity,
  Explanation,
  PastBounds,
} from '../../../../application/reading/ports/segment-queries.js'
import { compileRule } from '../../../../domain/segments/compiled-rule.js'
import { byActiveId, dependenciesFirst } from '../../../../domain/segments/dependencies-first.js'
import { relatedSteps } from '../../../../domain/segments/related-steps.js'
import { segmentsNamedBy } from '../../../../domain/segments/named-segments.js'
import type { Rule } from '../../../../domain/segments/rule.js'
import type { DefinedSegment, TimelineStep } from '../../../../domain/segments/timeline.js'
import type { EntityIds } from '../entity-ids.js'
import type { Applied } from '../answers.js'
import type { Told } from './fold-membership.js'
import { entitySegment, membership } from './folded-answers.js'
import { byKey } from './by-key.js'
import { nameCondition } from './hashes.js'
import type { KnownPrefix, LogTimes } from './log-times.js'
import type { PastMemberships } from './past-memberships.js'
import type { SegmentProjection } from './segment-projection.js'

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

  /** By key; undefined: no such entity. */
  async ofEntity(
    query: PastBounds & { readonly externalId: string },
    applied: Applied,
  ): Promise<readonly EntitySegment[] | undefined> {
    const entity = this.ids.of(query.externalId)
    if (entity === undefined) return undefined
    const known = this.knownBy(query, applied)
    const segments = this.segmentsAt(query, known)
    const { position } = applied
    return this.past.allow({ entities: [entity], known, position }, async (dueAt) => {
      const told = this.told(query, known, segments)
      const folded = await this.past.fold(entity, told, dueAt)
      if (folded === undefined) return undefined
      const all = lastOf(told)
      return segments.flatMap((segment) => entitySegment(segment, all, folded)).sort(byKey)
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
    if (query.knownAt === undefined) this.refuseBuilding(query.rule, applied)
    const segments = this.withTrial(query.rule, this.segmentsAt(query, known))
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

  /** Of a segment that is not served yet nobody could say who is in it. */
  private refuseBuilding(rule: Rule, { position }: Applied): void {
    const { catalog } = this.projection
    for (const key of segmentsNamedBy(rule)) {
      const isBuilding = catalog.defined(key) !== undefined && catalog.servedAs(key) === undefined
      if (isBuilding) throw new SegmentBuilding(position)
    }
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

  /** Of `knownAt` what was defined then, built or not; else what is served. */
  private segmentAt(
    query: PastBounds & { readonly key: string },
    known: KnownPrefix,
    { position }: Applied,
  ): DefinedSegment | undefined {
    const { catalog } = this.projection
    if (query.knownAt !== undefined) {
      return catalog.timeline.at(known.position).find(({ key }) => key === query.key)
    }
    if (catalog.defined(query.key) === undefined) return undefined
    const served = catalog.servedAs(query.key)
    if (served === undefined) throw new SegmentBuilding(position)
    return served
  }

  /** Dependencies first. */
  private segmentsAt({ knownAt }: PastBounds, known: KnownPrefix): readonly DefinedSegment[] {
    const { catalog } = this.projection
    return knownAt === undefined ? catalog.served : catalog.timeline.at(known.position)
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
