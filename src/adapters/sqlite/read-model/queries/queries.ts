import type { Cancellation } from '../../../../application/ports/cancellation.js'
import type {
  Answer,
  FullProfiles,
  Queries,
  QueryName,
} from '../../../../application/reading/ports/read-model.js'
import { runInPieces } from '../../../../application/reading/pieces.js'
import type { InPieces } from '../../../../domain/in-pieces.js'
import type { Database } from '../../file/driver.js'
import type { Answers, Applied, Begun } from './answers.js'
import { EntityIds } from '../entity-ids.js'
import type { EntityLogs } from '../entity-log/entity-logs.js'
import { ErasureReads } from './erasure-queries.js'
import { FeedQueries } from './feed-query.js'
import { HistoryQueries } from './history-query.js'
import { KeyQueries } from './key-query.js'
import type { FactsByPosition } from '../facts-by-position.js'
import { ProfileQueries } from './profile-queries.js'
import { Memberships } from '../segments/memberships.js'
import type { SegmentProjection } from '../segments/segment-projection.js'
import { TimelineQueries } from './timeline-query.js'

export interface QueriesParts {
  readonly db: Database
  readonly facts: FactsByPosition
  /** The facts are in the read model itself. */
  readonly keepsFacts: boolean
  readonly logs: EntityLogs
  readonly segments: SegmentProjection
}

/** Every query, over one connection. Each answers from one state: that at `applied`. */
export class SqliteQueries {
  private readonly answers: Answers
  private readonly profiles: ProfileQueries
  private readonly memberships: Memberships

  private readonly ids: EntityIds
  private readonly facts: FactsByPosition

  constructor({ db, facts, keepsFacts, logs, segments }: QueriesParts) {
    this.facts = facts
    const keys = keepsFacts ? new KeyQueries(db) : undefined
    const ids = new EntityIds(db)
    this.ids = ids
    const memberships = new Memberships({ db, facts, ids, logs }, segments)
    this.memberships = memberships
    const profiles = new ProfileQueries(db)
    this.profiles = profiles
    const timeline = new TimelineQueries(logs, facts)
    const history = new HistoryQueries(logs, facts)
    const feed = new FeedQueries(logs, facts, ids, segments.erased)
    const erasures = new ErasureReads({ facts, ids, logs, profiles, memberships, segments })
    this.answers = {
      profile: (query) => {
        const entity = ids.of(query.externalId)
        if (entity === undefined) return undefined
        logs.writeOf(entity)
        const profile = profiles.profile(entity)
        return profile && { ...profile, ...memberships.now(entity) }
      },
      profileAt: (query, applied) => memberships.profile(query, applied),
      entities: (query) => profiles.entities(query),
      entitiesByName: (query) => profiles.entitiesByName(query),
      entitiesByProperty: (query) => profiles.entitiesByProperty(query),
      entityById: (query) => profiles.entityById(query),
      timeline: (query, applied) => {
        const entity = ids.of(query.externalId)
        return entity === undefined ? undefined : timeline.page(entity, query, applied)
      },
      history: (query, applied) => {
        const entity = ids.of(query.externalId)
        return entity === undefined ? undefined : history.page(entity, query, applied)
      },
      facts: (query, applied) => feed.page(query, applied),
      keyed: (query) => {
        if (keys === undefined) throw new TypeError('an embedded store knows its keys itself')
        return keys.keyed(query)
      },
      factAt: ({ position }) => {
        const fact = this.facts.find(position)
        if (fact !== undefined) return { position, id: fact.id }
        return segments.erased.explains(position) ? { position, id: '' } : undefined
      },
      erasedEntity: (query, applied) => erasures.erased(query, applied),
      erasureDryRun: (query, applied) => erasures.dryRun(query, applied),
      clockFloors: (query, applied) => erasures.clockFloors(query, applied),
      ...memberships.answers,
    }
  }

  /** The entity is erased: another one may have its name. */
  forget(externalId: string, entity: number): void {
    this.ids.forget(externalId, entity)
  }

  fullProfiles(): FullProfiles {
    return this.profiles.full()
  }

  /** From now on members are answered as `committed` sees them: it must see them as they are now. */
  holdMembers(committed: Database): void {
    this.memberships.hold(committed)
  }

  /** Members are answered as they are. */
  letMembersGo(): void {
    this.memberships.letGo()
  }

  answer<Name extends QueryName>(
    name: Name,
    query: Queries[Name]['query'],
    applied: Applied,
    cancellation?: Cancellation,
    pieceMs?: number,
  ): Answer<Queries[Name]['answer']> | Promise<Answer<Queries[Name]['answer']>> {
    const { position, logTime } = applied
    const begun: Begun<Queries[Name]['answer']> = this.answers[name](query, applied)
    if (!isInPieces(begun)) return { value: begun, position, logTime }
    const options = { cancellation, pieceMs, rests: name === 'previewRule' }
    return runInPieces(begun, options).then((value) => ({ value, position, logTime }))
  }

  close(): void {
    this.facts.close()
  }
}

function isInPieces<T>(begun: Begun<T>): begun is InPieces<T> {
  return typeof begun === 'object' && begun !== null && 'next' in begun && Symbol.iterator in begun
}
