import type { EntityProfile } from '../../../../../application/reading/ports/read-model.js'
import {
  isOfPast,
  type SegmentQueries,
} from '../../../../../application/segments/ports/segment-queries.js'
import { RefusalAt } from '../../../../../application/ports/refusal.js'
import type { Database } from '../../../file/driver.js'
import type { Answers } from '../../queries/answers.js'
import type { ReadModelTables } from '../../read-model-tables.js'
import { PastQueries } from './past-queries.js'
import { ChangeQueries } from './change-queries.js'
import { RulePreviews } from './rule-previews.js'
import type { SegmentProjection } from '../segment-projection.js'
import { CurrentQueries, membersCommitted } from './current-queries.js'

/** All queries about segments and their members. */
export class SegmentAnswers {
  readonly answers: Pick<Answers, keyof SegmentQueries | 'profileAt'>
  private readonly applied: CurrentQueries
  /** While members change and no answer may show it: as they were before. */
  private before: CurrentQueries | undefined

  constructor(
    tables: ReadModelTables,
    private readonly projection: SegmentProjection,
  ) {
    const { db, facts, ids } = tables
    const { catalog } = projection
    const published = new ChangeQueries(db, facts, catalog)
    const previews = new RulePreviews(tables, catalog)
    const ofThen = new PastQueries(tables, catalog)
    this.applied = new CurrentQueries(db, projection)
    this.answers = {
      profileAt: (query, applied) => ofThen.profile(query, applied),
      segments: () => this.ofNow.all(),
      segment: ({ key }) => this.ofNow.one(key),
      segmentVersions: ({ key }) => this.ofNow.versions(key),
      segmentMembers: (query, applied) => {
        if (this.before === undefined) projection.generations.write()
        return this.ofNow.page(query, applied)
      },
      entitySegments: (query, applied) => {
        if (isOfPast(query)) return ofThen.ofEntity(query, applied)
        const entity = ids.of(query.externalId)
        return entity === undefined ? undefined : this.ofNow.ofEntity(entity, applied)
      },
      explainSegment: (query, applied) => ofThen.explain(query, applied),
      evaluateRule: (query, applied) => ofThen.evaluate(query, applied),
      segmentChanges: (query, applied) => published.changes(query, applied),
      segmentCurve: (query, applied) => {
        const info = this.ofNow.one(query.key)
        return info && published.curve(query, info.members, applied)
      },
      estimateRule: (query, applied) => previews.estimate(query, applied),
      previewRule: (query) => previews.part(query),
      unpublished: ({ except }, { position }) => {
        // A part of what is due at one instant is no prefix of what every process derives.
        if (this.before !== undefined) throw new RefusalAt('read_model_behind', position)
        return projection.unpublished.next(except)
      },
    }
  }

  private get ofNow(): CurrentQueries {
    return this.before ?? this.applied
  }

  /** From now on answers show members as they are committed, which must be as they are now. */
  freeze(committed: Database): void {
    const { projection } = this
    this.before = new CurrentQueries(committed, projection, membersCommitted(projection, committed))
  }

  unfreeze(): void {
    this.before = undefined
  }

  now(entity: number): Pick<EntityProfile, 'segments' | 'segmentsBuilding'> {
    return this.ofNow.besideProfile(entity)
  }
}
