import { readFact } from '../../src/application/facts/fact-format.js'
import { meaningOf } from '../../src/application/facts/fact-table.js'
import { readMetadata } from '../../src/application/facts/metadata.js'
import type { LoggedFact } from '../../src/application/facts/ports/fact-log.js'
import type { TimelineQuery } from '../../src/application/reading/ports/read-model.js'
import { entityStream } from '../../src/domain/entity.js'
import { logTimeAfter } from '../../src/domain/facts.js'
import { JsonText } from '../../src/domain/json.js'
import { profileAfter, type Profile } from '../../src/domain/profile.js'

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
      this.of(externalId).filter(
        ({ entity, logTime }) =>
          Date.parse(entity?.tookEffectAt ?? '') <= asOf && logTime <= knownAt,
      ),
    )
    return profile && { ...profile, properties: JsonText.of(profile.properties) }
  }

  /** All entities in the order of creation. */
  get entities() {
    return this.known.flatMap(({ fact }) => {
      if (fact.type !== 'EntityCreated') return []
      const profile = folded(this.of(fact.data.externalId))
      if (profile === undefined) return []
      const { externalId, createdAt, updatedAt } = profile
      const properties = JsonText.of(profile.properties)
      return [{ externalId, entityId: fact.id, properties, createdAt, updatedAt }]
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

  timeline({ externalId, by, order, name, since, until }: Omit<TimelineQuery, 'limit'>) {
    const [from, to] = [since ?? -Infinity, until ?? Infinity]
    const events = this.of(externalId)
      .flatMap(eventOf)
      .map(({ position, item }) => {
        const at = Date.parse(by === 'occurred' ? item.occurredAt : item.recordedAt)
        return { position, item, at }
      })
      .filter(({ item, at }) => (name ?? item.name) === item.name && from <= at && at < to)
      // The recording processes' clocks may differ, so positions give the order of recording.
      .sort((one, other) => (by === 'occurred' ? one.at - other.at : 0) || behind(one, other))
      .map(({ item }) => item)
    return this.ifThere(externalId, order === 'asc' ? events : events.reverse())
  }

  history(externalId: string) {
    return this.ifThere(externalId, this.of(externalId).flatMap(changeOf).reverse())
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

  private ifThere<Item>(externalId: string, items: readonly Item[]): readonly Item[] | undefined {
    return this.of(externalId).length === 0 ? undefined : items
  }
}

function behind(one: { readonly position: number }, other: { readonly position: number }): number {
  return one.position - other.position
}

function folded(facts: readonly KnownFact[]): Profile | undefined {
  let profile: Profile | undefined
  for (const { entity } of facts) if (entity) profile = profileAfter(profile, entity)
  return profile
}

function changeOf({ fact, feed: { requestId } }: KnownFact) {
  if (fact.type === 'EntityCreated') {
    const { properties, createdAt: changedAt } = fact.data
    return [{ factId: fact.id, changedAt, set: JsonText.of(properties), unset: [], requestId }]
  }
  if (fact.type !== 'EntityPropertiesChanged') return []
  const { set, unset, changedAt } = fact.data
  return [{ factId: fact.id, changedAt, set: JsonText.of(set), unset, requestId }]
}

function eventOf({ fact, position }: KnownFact) {
  if (fact.type !== 'EventRecorded') return []
  const { name, properties, recordedAt, occurredAt = recordedAt } = fact.data
  const item = { id: fact.id, name, properties: JsonText.of(properties), recordedAt, occurredAt }
  return [{ item, position }]
}
