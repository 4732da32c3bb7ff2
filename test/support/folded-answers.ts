import { readFact } from '../../src/application/facts/fact-format.js'
import { meaningOf } from '../../src/application/facts/fact-table.js'
import { readMetadata } from '../../src/application/facts/metadata.js'
import type { LoggedFact } from '../../src/application/facts/ports/fact-log.js'
import type { HistoryQuery, TimelineQuery } from '../../src/application/reading/ports/read-model.js'
import { entityStream } from '../../src/domain/entity.js'
import { logTimeAfter, ownTimeOf } from '../../src/domain/facts.js'
import { JsonText } from '../../src/domain/json.js'
import { ProfileFold, type Profile } from '../../src/domain/profile.js'

type KnownFact = ReturnType<typeof knownFacts>[number]

/** Returns the facts of this product with their meaning for an entity, and the log time at each fact. */
function knownFacts(logged: readonly LoggedFact[]) {
  let logTime = 0
  return logged.flatMap(({ position, id, type, stream, ...stored }) => {
    const fact = readFact({ id, type, ...stored })
    if (fact === undefined) return []
    const meaning = meaningOf(fact)
    logTime = logTimeAfter(logTime, meaning)
    const requestId = readMetadata(stored.metadata)?.$correlationId ?? ''
    const feed = { position, id, type, stream, data: JsonText.of(fact.data), requestId }
    return [{ fact, entity: meaning.entity, feed, stream, position, logTime }]
  })
}

/** Computes expected answers by a simple fold of all facts. Lists are not split into pages. */
export class FoldedAnswers {
  private readonly known: readonly KnownFact[]

  constructor(logged: readonly LoggedFact[]) {
    this.known = knownFacts(logged)
  }

  profile(externalId: string, asOf = Infinity, knownAt = Infinity) {
    const profile = folded(
      this.of(externalId).filter(({ logTime }) => logTime <= knownAt),
      asOf,
    )
    return profile && { ...profile, properties: JsonText.of(profile.properties) }
  }

  /** All entities in the order of creation. */
  get entities() {
    return this.known.flatMap(({ fact }) => {
      if (fact.type !== 'EntityCreated') return []
      const profile = folded(this.of(fact.data.externalId))
      if (profile === undefined) return []
      const { externalId, createdAt, recordedAt, updatedAt } = profile
      const properties = JsonText.of(profile.properties)
      return [{ externalId, entityId: fact.id, properties, createdAt, recordedAt, updatedAt }]
    })
  }

  /** Returns the entities whose name starts with the text, in code point order (the order of UTF-8 bytes). */
  entitiesByName(startsWith: string) {
    return this.entities
      .filter(({ externalId }) => externalId.startsWith(startsWith))
      .sort((one, other) =>
        Buffer.compare(Buffer.from(one.externalId), Buffer.from(other.externalId)),
      )
  }

  timeline(query: Omit<TimelineQuery, 'limit'>) {
    const { name } = query
    return this.list(query, (known) =>
      eventOf(known).filter((item) => (name ?? item.name) === item.name),
    )
  }

  history(query: Omit<HistoryQuery, 'limit'>) {
    return this.list(query, changeOf)
  }

  /** Returns the items of the facts within the bounds, in order. Undefined: the entity does not exist within them. */
  private list<Item>(
    query: Omit<HistoryQuery, 'limit'>,
    itemsOf: (known: KnownFact) => readonly Item[],
  ): readonly Item[] | undefined {
    const { externalId, by, order, since = -Infinity, until = Infinity, ...past } = query
    if (this.profile(externalId, past.asOf, past.knownAt) === undefined) return undefined
    const items = this.of(externalId)
      .filter(({ logTime }) => logTime <= (past.knownAt ?? Infinity))
      .flatMap((known) => {
        const { entity, position, logTime } = known
        if (entity === undefined) return []
        const own = ownTimeOf(entity, logTime)
        const at = by === 'occurred' ? own : Date.parse(entity.recordedAt)
        if (own > (past.asOf ?? Infinity) || at < since || at >= until) return []
        return itemsOf(known).map((item) => ({ item, position, at }))
      })
      // The recording processes' clocks may differ, so positions give the order of recording.
      .sort((one, other) => (by === 'occurred' ? one.at - other.at : 0) || behind(one, other))
      .map(({ item }) => item)
    return order === 'asc' ? items : items.reverse()
  }

  facts(types: readonly string[] | undefined, stream: string | undefined) {
    return this.known
      .map(({ feed }) => feed)
      .filter(
        (feed) => types?.includes(feed.type) !== false && (stream ?? feed.stream) === feed.stream,
      )
  }

  private of(externalId: string): readonly KnownFact[] {
    return this.known.filter(({ stream }) => stream === entityStream(externalId))
  }
}

function behind(one: { readonly position: number }, other: { readonly position: number }): number {
  return one.position - other.position
}

function folded(facts: readonly KnownFact[], asOf?: number): Profile | undefined {
  const fold = new ProfileFold(asOf)
  for (const { entity, logTime } of facts) if (entity) fold.add(entity, logTime)
  return fold.profile
}

function changeOf({ fact, feed: { requestId } }: KnownFact) {
  if (fact.type === 'EntityCreated') {
    const { properties, createdAt: changedAt, occurredAt = changedAt } = fact.data
    const set = JsonText.of(properties)
    return [{ factId: fact.id, changedAt, occurredAt, set, unset: [], requestId }]
  }
  if (fact.type !== 'EntityPropertiesChanged') return []
  const { set, unset, changedAt, occurredAt = changedAt } = fact.data
  return [{ factId: fact.id, changedAt, occurredAt, set: JsonText.of(set), unset, requestId }]
}

function eventOf({ fact }: KnownFact) {
  if (fact.type !== 'EventRecorded') return []
  const { name, properties, recordedAt, occurredAt = recordedAt } = fact.data
  return [{ id: fact.id, name, properties: JsonText.of(properties), recordedAt, occurredAt }]
}
