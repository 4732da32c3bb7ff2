import type {
  Answer,
  Checkpoint,
  Queries,
  QueryName,
} from '../../../application/reading/ports/read-model.js'
import type { Database } from '../file/driver.js'
import { EntityIds } from './entity-ids.js'
import { FeedQueries } from './feed-query.js'
import { HistoryQueries } from './history-query.js'
import { KeyQueries } from './key-query.js'
import type { KnownFacts } from './known-facts.js'
import { PastQueries } from './past-query.js'
import { ProfileQueries } from './profile-queries.js'
import { TimelineQueries } from './timeline-query.js'

type Answers = {
  readonly [Name in QueryName]: (
    query: Queries[Name]['ask'],
    applied: Checkpoint,
  ) => Queries[Name]['answer'] | Promise<Queries[Name]['answer']>
}

/** Every query, over one connection. Each answers from one state: that at `applied`. */
export class SqliteQueries {
  private readonly answers: Answers
  private readonly profiles: ProfileQueries

  constructor(
    db: Database,
    private readonly facts: KnownFacts,
    keepsFacts: boolean,
  ) {
    const keys = keepsFacts ? new KeyQueries(db) : undefined
    const ids = new EntityIds(db)
    const profiles = new ProfileQueries(db)
    this.profiles = profiles
    const timeline = new TimelineQueries(db, facts)
    const history = new HistoryQueries(db, facts)
    const past = new PastQueries(db, facts)
    const feed = new FeedQueries(db, facts, ids)
    this.answers = {
      profile: (query) => profiles.profile(query),
      isFull: (query) => profiles.isFull(query),
      profileAt: (query, { position }) => {
        const entity = ids.of(query.externalId)
        return entity === undefined ? undefined : past.profile(entity, query, position)
      },
      entities: (query) => profiles.entities(query),
      entityById: (query) => profiles.entityById(query),
      timeline: (query) => {
        const entity = ids.of(query.externalId)
        return entity === undefined ? undefined : timeline.page(entity, query)
      },
      history: (query) => {
        const entity = ids.of(query.externalId)
        return entity === undefined ? undefined : history.page(entity, query)
      },
      facts: (query, applied) => feed.page(query, applied),
      keyed: (query) => {
        if (keys === undefined) throw new TypeError('an embedded store knows its keys itself')
        return keys.keyed(query)
      },
      factAt: ({ position }) => {
        const fact = this.facts.find(position)
        return fact === undefined ? undefined : { position, id: fact.id }
      },
    }
  }

  /** Some profile takes no more properties. */
  hasFullProfiles(): boolean {
    return this.profiles.hasFull()
  }

  async answer<Name extends QueryName>(
    name: Name,
    query: Queries[Name]['ask'],
    applied: Checkpoint,
  ): Promise<Answer<Queries[Name]['answer']>> {
    return { value: await this.answers[name](query, applied), position: applied.position }
  }

  close(): void {
    this.facts.close()
  }
}
