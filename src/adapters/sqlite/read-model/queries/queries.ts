import type { Cancellation } from '../../../../application/ports/cancellation.js'
import type {
  Queries,
  QueryName,
  FactsOfKey,
  QueryOf,
  AnswerOf,
} from '../../../../application/reading/ports/read-model.js'
import { runInPieces } from '../../../../application/reading/pieces.js'
import type { InPieces } from '../../../../domain/in-pieces.js'
import { prepareAll, type Database, type Statements } from '../../file/driver.js'
import type { Answers, Applied, Begun } from './answers.js'
import { DictionaryQueries } from './dictionary-queries.js'
import { EntitySearches } from './entity-searches.js'
import { ErasureReads } from './erasure-queries.js'
import { EventQueries } from './event-query.js'
import { FeedQueries } from './feed-query.js'
import { HistoryQueries } from './history-query.js'
import { ProfileQueries } from './profile-queries.js'
import type { ReadModelTables } from '../read-model-tables.js'
import { SegmentAnswers } from '../segments/queries/segment-answers.js'
import type { SegmentProjection } from '../segments/segment-projection.js'
import { TimelineQueries } from './timeline-query.js'
import { WebhookQueries } from './webhook-queries.js'
import { factIn, numbersIn } from '../../file/row.js'

/** Answers all queries over one connection. Each answer is exact for the position `applied`. */
export class SqliteQueries {
  readonly profiles: ProfileQueries
  readonly memberships: SegmentAnswers
  private readonly answers: Answers

  constructor(tables: ReadModelTables, segments: SegmentProjection) {
    const { db, facts, ids, logs, erased, keepsFacts } = tables
    const keys = keepsFacts ? new KeyQueries(db) : undefined
    const memberships = new SegmentAnswers(tables, segments)
    this.memberships = memberships
    const profiles = new ProfileQueries(db, logs)
    this.profiles = profiles
    const search = new EntitySearches(tables)
    const dictionary = new DictionaryQueries(tables)
    const timeline = new TimelineQueries(tables)
    const events = new EventQueries(tables)
    const history = new HistoryQueries(tables)
    const feed = new FeedQueries(tables)
    const erasures = new ErasureReads(tables, profiles, memberships, segments)
    const webhooks = new WebhookQueries({ tables, profiles, memberships, feed })
    this.answers = {
      profile: ({ externalId }) => this.profile(tables, externalId),
      entities: (query) => profiles.entities(query),
      entitiesByName: (query) => profiles.entitiesByName(query),
      entitiesByProperty: (query) => profiles.entitiesByProperty(query),
      entityById: (query) => profiles.entityById(query),
      entitiesByLastEvent: (query) => profiles.entitiesByLastEvent(query),
      searchEntities: (query) => search.part(query),
      dictionary: () => dictionary.dictionary(),
      totals: (query) => dictionary.totals(query),
      timeline: (query, applied) => {
        const entity = ids.of(query.externalId)
        return entity === undefined ? undefined : timeline.page(entity, query, applied)
      },
      event: (query, applied) => events.event(ids.of(query.externalId), query, applied),
      history: (query, applied) => {
        const entity = ids.of(query.externalId)
        return entity === undefined ? undefined : history.page(entity, query, applied)
      },
      facts: (query, applied) => feed.page(query, applied),
      webhookFacts: (query, applied) => webhooks.facts(query, applied),
      webhookFact: (query) => webhooks.fact(query),
      webhookLag: (query, applied) => webhooks.lag(query, applied),
      latestEventNames: () => webhooks.eventNames(),
      keyed: (query) => {
        if (keys === undefined) throw new TypeError('an embedded store answers this query itself')
        return keys.keyed(query)
      },
      factAt: ({ position }) => {
        const fact = facts.find(position)
        if (fact !== undefined) return { position, id: fact.id }
        return erased.explains(position) ? { position, id: '' } : undefined
      },
      erasedEntity: (query) => erasures.erased(query),
      erasureDryRun: (query, applied) => erasures.dryRun(query, applied),
      ...memberships.answers,
    }
  }

  private profile({ ids, logs, lent }: ReadModelTables, externalId: string) {
    const entity = ids.of(externalId)
    if (entity === undefined) return undefined
    logs.pending.writeOf(entity)
    const profile = this.profiles.profile(entity)
    if (profile === undefined) return undefined
    const answer = { ...profile, ...this.memberships.currentSegments(entity) }
    lent.lend(entity, externalId, answer)
    return answer
  }

  answer<Name extends QueryName>(
    name: Name,
    query: QueryOf<Name>,
    applied: Applied,
    cancellation?: Cancellation,
    pieceMs?: number,
  ): AnswerOf<Name> | Promise<AnswerOf<Name>> {
    const { position, logTime } = applied
    const begun: Begun<Queries[Name]['answer']> = this.answers[name](query, applied)
    if (!isInPieces(begun)) return { value: begun, position, logTime }
    const options = {
      cancellation,
      pieceMs,
      isThrottled: name === 'previewRule' || name === 'searchEntities',
    }
    return runInPieces(begun, options).then((value) => ({ value, position, logTime }))
  }
}

function isInPieces<T>(begun: Begun<T>): begun is InPieces<T> {
  return typeof begun === 'object' && begun !== null && 'next' in begun && Symbol.iterator in begun
}

const keySql = {
  find: `SELECT stream_id, first_position, last_position
         FROM keys JOIN streams ON streams.id = keys.stream_id WHERE name = ? AND key = ?`,
  facts: `SELECT id, type, data, metadata FROM facts
          WHERE position BETWEEN ? AND ? AND stream_id = ? ORDER BY position`,
}

class KeyQueries {
  private readonly statements: Statements<typeof keySql>

  constructor(db: Database) {
    this.statements = prepareAll(db, keySql)
  }

  keyed({ stream, key }: QueryOf<'keyed'>): FactsOfKey | undefined {
    const { find, facts } = this.statements
    const row = find.get(stream, key)
    if (row === undefined) return undefined
    const [streamId = 0, first = 0, last = 0] = numbersIn(row)
    return { facts: facts.all(first, last, streamId).map(factIn), position: last }
  }
}
