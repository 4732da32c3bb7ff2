import type { InPieces } from '../../../../domain/in-pieces.js'
import type { EntityProfile, Queries } from '../../../../application/reading/ports/read-model.js'
import type { SegmentQueries } from '../../../../application/reading/ports/segment-queries.js'
import type { Database } from '../../file/driver.js'
import type { EntityIds } from '../entity-ids.js'
import type { KnownFacts } from '../known-facts.js'
import type { Answers, Applied } from '../answers.js'
import { LogTimes } from './log-times.js'
import { MembershipQueries } from './membership-queries.js'
import { PastMemberships } from './past-memberships.js'
import type { SegmentProjection } from './segment-projection.js'
import { SegmentQueriesOfNow } from './segment-queries.js'

/** Everything that is asked about segments and their members. */
export class Memberships {
  readonly answers: Pick<Answers, keyof SegmentQueries>
  private readonly ofNow: SegmentQueriesOfNow
  private readonly ofThen: MembershipQueries

  constructor(db: Database, facts: KnownFacts, ids: EntityIds, projection: SegmentProjection) {
    const past = new PastMemberships(db, facts)
    const logTimes = new LogTimes(db, facts, ids)
    const ofNow = new SegmentQueriesOfNow(db, projection)
    const ofThen = new MembershipQueries(projection, past, logTimes, ids)
    this.ofNow = ofNow
    this.ofThen = ofThen
    this.answers = {
      segments: (_query, applied) => ofNow.all(applied),
      segment: ({ key }, applied) => ofNow.one(key, applied),
      segmentVersions: ({ key }) => ofNow.versions(key),
      segmentMembers: (query, applied) => ofNow.page(query, applied),
      entitySegments: (query, applied) => {
        if (query.asOf !== undefined || query.knownAt !== undefined) {
          return ofThen.ofEntity(query, applied)
        }
        const entity = ids.of(query.externalId)
        return entity === undefined ? undefined : ofNow.ofEntity(entity, applied)
      },
      explainSegment: (query, applied) => ofThen.explain(query, applied),
      evaluateRule: (query, applied) => ofThen.evaluate(query, applied),
      untold: ({ except }) => projection.untold.next(except),
    }
  }

  /** Beside the profile of an entity, by its number. */
  now(entity: number): Pick<EntityProfile, 'segments' | 'segmentsBuilding'> {
    return this.ofNow.besideProfile(entity)
  }

  /** Undefined: no such entity. */
  profile(
    query: Queries['profileAt']['ask'],
    applied: Applied,
  ): InPieces<EntityProfile | undefined> {
    return this.ofThen.profile(query, applied)
  }
}
