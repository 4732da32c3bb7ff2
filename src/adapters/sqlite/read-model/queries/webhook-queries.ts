import { readFact } from '../../../../application/facts/fact-format.js'
import { meaningOf, type Fact } from '../../../../application/facts/fact-table.js'
import { dataText } from '../../../../application/facts/fact-text.js'
import { factDataOf } from '../../../../application/facts/fact-view.js'
import type { LoggedFact } from '../../../../application/facts/ports/fact-log.js'
import type { QueryOf } from '../../../../application/reading/ports/read-model.js'
import {
  factsWithNames,
  maxCountedFacts,
  maxProfileBytes,
  type OutgoingFact,
  type MatchedFact,
  type WaitingFact,
  type WebhookFactsPage,
  type WebhookLag,
} from '../../../../application/webhooks/ports/webhook-queries.js'
import type { InPieces } from '../../../../domain/in-pieces.js'
import { JsonText } from '../../../../domain/json.js'
import {
  matchesFilter,
  type FactFilter,
  type FilteredFact,
} from '../../../../domain/webhooks/fact-filter.js'
import { deliveredTypes } from '../../../../domain/webhooks/webhook-facts.js'
import type { ReadModelTables } from '../read-model-tables.js'
import type { SegmentAnswers } from '../segments/queries/segment-answers.js'
import type { Applied } from './answers.js'
import type { FeedQueries } from './feed-query.js'
import { maxPageBytes } from './page-size.js'
import type { ProfileQueries } from './profile-queries.js'

/** The most facts that one page reads. */
const maxFactsRead = 1_000

interface Parts {
  readonly tables: ReadModelTables
  readonly profiles: ProfileQueries
  readonly memberships: SegmentAnswers
  readonly feed: FeedQueries
}

/** An entity that exists: its number, its id and its external id. */
interface Owner {
  readonly entity: number
  readonly entityId: string
  readonly externalId: string
}

/** A fact that can be delivered. */
interface Deliverable {
  readonly logged: LoggedFact
  readonly fact: Fact
  readonly type: string
  /** The entity of the fact. Undefined for a fact about no entity, and for an erasure. */
  readonly owner: Owner | undefined
  readonly entityId: string | undefined
}

/**
 * Answers the queries for the delivery of webhooks. A fact of an erased entity is never delivered. An
 * `ErasedFactsRemoved` stands in for an `EntityErased` that the store has removed.
 */
export class WebhookQueries {
  constructor(private readonly parts: Parts) {}

  *facts(query: QueryOf<'webhookFacts'>, applied: Applied): InPieces<WebhookFactsPage> {
    const { after, filters, limit } = query
    const facts: MatchedFact[] = []
    const page = this.page(after, applied)
    let last: LoggedFact | undefined
    for (const logged of page) {
      if (facts.length === limit) break
      last = logged
      const found = this.deliverable(logged)
      const matchedBy = found === undefined ? [] : indicesOfMatching(filters, filtered(found))
      if (found !== undefined && matchedBy.length > 0)
        facts.push({ fact: waiting(found), matchedBy })
      yield
    }
    const reached = last === undefined ? applied : { position: last.position, id: last.id }
    return { facts, reached }
  }

  fact({ position, profile: wantsProfile }: QueryOf<'webhookFact'>): OutgoingFact | undefined {
    const logged = this.parts.tables.facts.find(position)
    const found = logged && this.deliverable(logged)
    if (found === undefined) return undefined
    const { fact, type, owner } = found
    const profile = wantsProfile && owner !== undefined ? this.profileOf(owner) : undefined
    return {
      position,
      id: logged?.id ?? fact.id,
      type,
      at: timeOf(fact),
      ...erasureOf(fact),
      isProfileOmitted: profile === 'too large',
      data: this.dataOf(found),
      ...(profile instanceof JsonText ? { profile } : {}),
    }
  }

  *lag({ after, filter }: QueryOf<'webhookLag'>, applied: Applied): InPieces<WebhookLag> {
    let from = after
    let read = 0
    let facts = 0
    let oldestAt: string | undefined
    while (from < applied.position && read < maxCountedFacts) {
      const page = this.page(from, applied)
      for (const logged of page) {
        const found = this.matching(logged, filter)
        if (found !== undefined) facts += 1
        oldestAt ??= found && timeOf(found.fact)
        yield
      }
      read += page.length
      from = page.at(-1)?.position ?? applied.position
    }
    const more = from < applied.position
    return oldestAt === undefined ? { facts, more } : { facts, more, oldestAt }
  }

  eventNames(): readonly string[] {
    return this.parts.tables.facts.latestEventNames(factsWithNames)
  }

  private page(after: number, applied: Applied): readonly LoggedFact[] {
    if (after >= applied.position) return []
    const limits = { facts: maxFactsRead, bytes: maxPageBytes }
    return this.parts.tables.facts.page(after, applied.position, limits)
  }

  private matching(logged: LoggedFact, filter: FactFilter): Deliverable | undefined {
    const found = this.deliverable(logged)
    return found !== undefined && matchesFilter(filter, filtered(found)) ? found : undefined
  }

  /** Returns the fact if it can be delivered to some webhook. */
  private deliverable(logged: LoggedFact): Deliverable | undefined {
    const { type } = logged
    if (type === 'ErasedFactsRemoved') return this.standIn(logged)
    if (!deliveredTypes.some((delivered) => delivered === type)) return undefined
    if (!this.parts.feed.isServed(logged)) return undefined
    const fact = readFact(logged)
    if (fact === undefined) return undefined
    if (fact.type === 'EntityErased') {
      return { logged, fact, type, owner: undefined, entityId: fact.data.entityId }
    }
    const named = entityNamedBy(fact)
    if (named === undefined) return { logged, fact, type, owner: undefined, entityId: undefined }
    const owner = this.ownerOf(named, logged)
    return owner && { logged, fact, type, owner, entityId: owner.entityId }
  }

  /** Returns an `ErasedFactsRemoved` whose `EntityErased` is no longer in the store. */
  private standIn(logged: LoggedFact): Deliverable | undefined {
    const fact = readFact(logged)
    if (fact?.type !== 'ErasedFactsRemoved') return undefined
    const { entityId, closedAt } = fact.data
    const closing = this.parts.tables.facts.find(Number(closedAt.position))
    if (entityId === undefined || closing?.type === 'EntityErased') return undefined
    return { logged, fact, type: 'EntityErased', owner: undefined, entityId }
  }

  /**
   * Returns the entity of a fact. Returns undefined when the entity was erased. The external id may then belong
   * to another entity, which was created after the fact.
   */
  private ownerOf(named: NamedEntity, { position }: LoggedFact): Owner | undefined {
    const { tables, profiles } = this.parts
    const owner =
      'entityId' in named ? profiles.ownerById(named.entityId) : this.ownerByName(named.externalId)
    if (owner === undefined || owner.entity > position) return undefined
    return tables.erased.has(owner.entityId) ? undefined : owner
  }

  private ownerByName(externalId: string): Owner | undefined {
    const { tables, profiles } = this.parts
    const entity = tables.ids.of(externalId)
    const entityId = entity === undefined ? undefined : profiles.idOf(entity)
    if (entity === undefined || entityId === undefined) return undefined
    return { entity, entityId, externalId }
  }

  private dataOf({ fact, logged, owner }: Deliverable): JsonText {
    if (fact.type === 'ErasedFactsRemoved') {
      const { erasureId, entityId, closedAt } = fact.data
      return JsonText.of({ erasure_id: erasureId, entity_id: entityId ?? '', at: closedAt.at })
    }
    const data = factDataOf(fact.type, dataText(logged))
    if (owner === undefined) return data
    const { entityId, externalId } = owner
    const ids = JSON.stringify({ entity_id: entityId, external_id: externalId })
    return withMembers(data, ids)
  }

  private profileOf({ entity }: Owner): JsonText | 'too large' | undefined {
    const { tables, profiles, memberships } = this.parts
    tables.logs.pending.writeOf(entity)
    const profile = profiles.profile(entity)
    if (profile === undefined) return undefined
    const { properties, createdAt, updatedAt, eventCount, lastEventAt = null } = profile
    if (Buffer.byteLength(properties.text) > maxProfileBytes) return 'too large'
    const { segments } = memberships.currentSegments(entity)
    const others = JSON.stringify({
      created_at: createdAt,
      updated_at: updatedAt,
      event_count: eventCount,
      last_event_at: lastEventAt,
      segments,
    })
    return new JsonText(`{"properties":${properties.text},${others.slice(1)}`)
  }
}

/** Adds the ids of the entity to the data of a fact. The ids come first, and replace members with the same names. */
function withMembers(data: JsonText, ids: string): JsonText {
  const { entity_id: _entityId, external_id: _externalId, ...rest } = data.value
  const others = JSON.stringify(rest)
  return new JsonText(others === '{}' ? ids : `${ids.slice(0, -1)},${others.slice(1)}`)
}

type NamedEntity = { readonly entityId: string } | { readonly externalId: string }

/** Returns the entity that a fact names. Undefined for a fact about no entity. */
function entityNamedBy(fact: Fact): NamedEntity | undefined {
  if (fact.type === 'EntityEnteredSegment' || fact.type === 'EntityLeftSegment') {
    return { entityId: fact.data.entityId }
  }
  const { entity } = meaningOf(fact)
  return entity && { externalId: entity.externalId }
}

function indicesOfMatching(filters: readonly FactFilter[], fact: FilteredFact): readonly number[] {
  return filters.flatMap((filter, index) => (matchesFilter(filter, fact) ? [index] : []))
}

function waiting({ logged: { position, id }, type, entityId }: Deliverable): WaitingFact {
  return entityId === undefined ? { position, id, type } : { position, id, type, entityId }
}

function filtered({ fact, type, entityId }: Deliverable): FilteredFact {
  return {
    type,
    entityId,
    event: isOfEvent(fact) ? fact.data.name : undefined,
    segment: 'segment' in fact.data ? fact.data.segment : undefined,
  }
}

function isOfEvent(
  fact: Fact,
): fact is Extract<Fact, { readonly type: 'EventRecorded' | 'EventVoided' }> {
  return fact.type === 'EventRecorded' || fact.type === 'EventVoided'
}

function erasureOf(fact: Fact): Pick<OutgoingFact, 'erasureId'> {
  return fact.type === 'EntityErased' || fact.type === 'ErasedFactsRemoved'
    ? { erasureId: fact.data.erasureId }
    : {}
}

/** Returns the time of recording. For a derived fact, returns the time in its data. */
function timeOf(fact: Fact): string {
  if (fact.type === 'EntityEnteredSegment' || fact.type === 'EntityLeftSegment') return fact.data.at
  if (fact.type === 'SegmentBuilt') return fact.data.builtAt
  const { recordedAt } = meaningOf(fact)
  if (recordedAt === undefined) throw new TypeError(`a ${fact.type} has no time`)
  return recordedAt
}
