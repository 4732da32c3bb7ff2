import { Refusal, RefusalAt } from '../../../../../application/ports/refusal.js'
import type { EntityProfile } from '../../../../../application/reading/ports/read-model.js'
import type {
  EntitySegments,
  EvaluatedEntity,
  Explanation,
  PastBounds,
} from '../../../../../application/segments/ports/segment-queries.js'
import type { InPieces } from '../../../../../domain/in-pieces.js'
import { JsonText } from '../../../../../domain/json.js'
import { ProfileFold } from '../../../../../domain/profile.js'
import { dependenciesFirst } from '../../../../../domain/segments/segment-graph.js'
import { segmentsNamedBy } from '../../../../../domain/segments/named-segments.js'
import type { EntityFact } from '../../../../../domain/facts.js'
import type { Rule } from '../../../../../domain/segments/rule/rule.js'
import type { DefinedSegment } from '../../../../../domain/segments/timeline.js'
import type { Catalog } from '../../../../../domain/segments/catalog.js'
import type { EntityIds } from '../../entity-ids.js'
import type { Applied } from '../../queries/answers.js'
import type { ReadModelTables } from '../../read-model-tables.js'
import {
  entitySegments,
  keysAndSince,
  matchersOf,
  membership,
  segmentsSince,
  viewOf,
} from './folded-answers.js'
import type { FoldOptions, FoldSource } from './fold-membership.js'
import type { LogPrefix, LogTimes } from '../../log-times.js'
import { PastFolds } from './past-folds.js'
import { trialOf, withDependencies } from './trial-segment.js'

type EntityQuery = PastBounds & { readonly externalId: string }

interface SegmentsThere {
  readonly segments: readonly DefinedSegment[]
  readonly building: readonly string[]
}

/**
 * The most characters in one answer to `evaluate`. The limit is necessary because each of 64 conditions can
 * list 100 events per entity.
 */
const maxEvaluatedCharacters = 16_777_216

/** Answers queries about past memberships, and explains memberships, by replaying the facts of entities. */
export class PastQueries {
  private readonly past: PastFolds
  private readonly logTimes: LogTimes
  private readonly ids: EntityIds

  constructor(
    tables: ReadModelTables,
    private readonly catalog: Catalog,
  ) {
    this.past = new PastFolds(tables)
    this.logTimes = tables.logTimes
    this.ids = tables.ids
  }

  /** Returns the segments of an entity, or undefined when the entity does not exist. */
  *ofEntity(query: EntityQuery, applied: Applied): InPieces<EntitySegments | undefined> {
    const found = yield* this.foldOne(query, applied, (all) => ({ matchers: matchersOf(all) }))
    if (found === undefined) return undefined
    const { segments, all, folded, building } = found
    const { entity } = viewOf(all, folded)
    const items = yield* entitySegments(segmentsSince(segments, folded), entity, folded.now)
    return { items, building }
  }

  /** Returns the past profile and segments of an entity, or undefined when the entity does not exist. */
  *profile(query: EntityQuery, applied: Applied): InPieces<EntityProfile | undefined> {
    const fold = new ProfileFold(query.asOf)
    const onFact = (fact: EntityFact, logTime: number) => {
      fold.add(fact, logTime)
    }
    const found = yield* this.foldOne(query, applied, () => ({ onFact }))
    const { profile } = fold
    if (found === undefined || profile === undefined) return undefined
    const { segments, folded, building } = found
    const memberships = segmentsSince(segments, folded)
    return {
      ...profile,
      properties: JsonText.of(profile.properties),
      segments: keysAndSince(memberships),
      segmentsBuilding: building,
    }
  }

  private *foldOne(
    query: EntityQuery,
    applied: Applied,
    optionsOf: (all: readonly DefinedSegment[]) => FoldOptions,
  ) {
    const entity = this.ids.of(query.externalId)
    if (entity === undefined) return undefined
    const prefix = this.prefixOf(query, applied)
    const { segments, building } = this.segmentsAt(query, prefix)
    this.past.refuseTooMany([entity], prefix)
    const source = this.sourceOf(query, prefix, segments)
    const all = lastOf(source)
    const folded = yield* this.past.fold(entity, source, optionsOf(all))
    return folded && { segments, all, folded, building }
  }

  *explain(
    query: PastBounds & { readonly externalId: string; readonly key: string },
    applied: Applied,
  ): InPieces<{
    readonly entityExists: boolean
    readonly explanation: Explanation | undefined
  }> {
    const entity = this.ids.of(query.externalId)
    if (entity === undefined) return { entityExists: false, explanation: undefined }
    const prefix = this.prefixOf(query, applied)
    const segment = this.segmentAt(query, prefix, applied)
    if (segment === undefined) return { entityExists: true, explanation: undefined }
    this.past.refuseTooMany([entity], prefix)
    const source = this.sourceOf(query, prefix, [segment])
    const all = lastOf(source)
    const folded = yield* this.past.fold(entity, source, {
      matchers: matchersOf([...all, segment]),
    })
    if (folded === undefined) return { entityExists: false, explanation: undefined }
    const { key, version } = segment
    const explanation = { segment: key, version, ...(yield* membership(segment, all, folded)) }
    return { entityExists: true, explanation }
  }

  *evaluate(
    query: PastBounds & { readonly rule: Rule; readonly externalIds: readonly string[] },
    applied: Applied,
  ): InPieces<readonly EvaluatedEntity[]> {
    const prefix = this.prefixOf(query, applied)
    const there = this.segmentsAt(query, prefix)
    const named = segmentsNamedBy(query.rule)
    if (there.building.some((key) => named.has(key)))
      throw new RefusalAt('building', applied.position)
    const segments = this.withTrial(query.rule, there.segments)
    const source = { prefix, asOf: query.asOf, steps: [], segments }
    const entities = query.externalIds.flatMap((externalId) => this.ids.of(externalId) ?? [])
    this.past.refuseTooMany(entities, prefix)
    const evaluated: EvaluatedEntity[] = []
    let characters = 0
    for (const externalId of query.externalIds) {
      const one = yield* this.evaluateOne(externalId, source)
      characters += JSON.stringify(one).length
      if (characters > maxEvaluatedCharacters) {
        throw new Refusal('too_many_facts', 'more evidence was found than an answer holds')
      }
      evaluated.push(one)
    }
    return evaluated
  }

  private *evaluateOne(externalId: string, source: FoldSource): InPieces<EvaluatedEntity> {
    const entity = this.ids.of(externalId)
    const trial = source.segments.at(-1)
    if (entity === undefined || trial === undefined) return { externalId, membership: undefined }
    const folded = yield* this.past.fold(entity, source, { matchers: matchersOf(source.segments) })
    if (folded === undefined) return { externalId, membership: undefined }
    return { externalId, membership: yield* membership(trial, source.segments, folded) }
  }

  private withTrial(rule: Rule, there: readonly DefinedSegment[]): readonly DefinedSegment[] {
    const trial = trialOf(rule, there)
    return withDependencies([trial], this.catalog.timeline)
  }

  private prefixOf({ knownAt }: PastBounds, { position, logTime }: Applied): LogPrefix {
    const head = { position, logTime }
    return knownAt === undefined ? head : this.logTimes.until(knownAt, head)
  }

  /** Returns the version of a segment that answers the query, or undefined when the segment is not defined. */
  private segmentAt(
    query: PastBounds & { readonly key: string },
    prefix: LogPrefix,
    { position }: Applied,
  ): DefinedSegment | undefined {
    const { segments, building } = this.segmentsAt(query, prefix)
    if (building.includes(query.key)) throw new RefusalAt('building', position)
    return segments.find(({ key }) => key === query.key)
  }

  /**
   * Returns the segment versions that answer a query. With `knownAt`, these are the versions that were defined
   * at that time, even if they were not backfilled. Without `knownAt`, these are the versions that queries use
   * now. `building` lists the keys of segments whose members are unknown here, including segments that only a
   * newer version of Dossier can evaluate.
   */
  private segmentsAt({ knownAt }: PastBounds, prefix: LogPrefix): SegmentsThere {
    const { catalog } = this
    const defined = knownAt === undefined ? catalog.segments : catalog.timeline.at(prefix.position)
    const segments: DefinedSegment[] = []
    const building: string[] = []
    for (const segment of defined) {
      const meant = knownAt === undefined ? catalog.servedAs(segment.key) : segment
      if (meant === undefined || meant.isForeign) building.push(segment.key)
      else segments.push(meant)
    }
    return { segments, building: building.sort() }
  }

  private sourceOf(
    { asOf }: PastBounds,
    prefix: LogPrefix,
    segments: readonly DefinedSegment[],
  ): FoldSource {
    const { timeline } = this.catalog
    if (asOf !== undefined) {
      const wanted = segments.map(({ active }) => active)
      return {
        prefix,
        asOf,
        steps: [],
        segments: dependenciesFirst(wanted, (id) => timeline.active(id)),
      }
    }
    // Applies definitions only up to the position before the first definition that replaces one of the
    // segments.
    const overtaken = segments.map((segment) => timeline.replacedAt(segment) ?? Infinity)
    const until = Math.min(prefix.position, ...overtaken.map((position) => position - 1))
    return { prefix, asOf, steps: timeline.related(segments, until), segments: [] }
  }
}

function lastOf({ steps, segments }: FoldSource): readonly DefinedSegment[] {
  return steps.at(-1)?.segments ?? segments
}
