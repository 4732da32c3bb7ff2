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

/**
 * Answers all queries about segments and their members.
 * - Input: queries (`SegmentQueries`), and the position and log time for which the answer is exact.
 * - Stored: nothing. Queries read the tables of `evaluation/` and `publishing/`, and the packed logs of
 *   entities.
 * - Output: answers.
 *
 * `current-queries.ts` answers queries about the present. `past-queries.ts` answers queries about the past and
 * explains memberships: `past-folds.ts` reads the facts of an entity, `fold-membership.ts` replays the facts,
 * and `folded-answers.ts` formats the result. `change-queries.ts` lists published changes. `rule-previews.ts`
 * evaluates a rule that is not saved.
 */
export class SegmentAnswers {
  readonly answers: Pick<Answers, keyof SegmentQueries | 'profileAt'>
  private readonly applied: CurrentQueries
  /**
   * Answers queries from the committed members while timers are evaluated in slices. Undefined at all other
   * times.
   */
  private before: CurrentQueries | undefined

  constructor(
    private readonly tables: ReadModelTables,
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
      segmentList: (query) => this.ofNow.list(query),
      segmentVersions: (query) => this.ofNow.versions(query),
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
        // Refuses the query while only some timers are evaluated, because the derived changes are not in their
        // final order yet.
        if (this.before !== undefined) throw new RefusalAt('read_model_behind', position)
        return projection.unpublished.next(except)
      },
    }
  }

  private get ofNow(): CurrentQueries {
    return this.before ?? this.applied
  }

  /** Makes queries use the committed members until `unfreeze` is called. Call it directly after a commit. */
  freeze(committed: Database): void {
    const { projection, tables } = this
    tables.lent.endAll()
    this.before = new CurrentQueries(committed, projection, membersCommitted(projection, committed))
  }

  unfreeze(): void {
    if (this.before !== undefined) this.tables.lent.endAll()
    this.before = undefined
  }

  currentSegments(entity: number): Pick<EntityProfile, 'segments' | 'segmentsBuilding'> {
    return this.ofNow.besideProfile(entity)
  }
}
