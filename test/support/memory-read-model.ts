import { readFact } from '../../src/application/facts/fact-format.js'
import { meaningOf, type Fact } from '../../src/application/facts/fact-table.js'
import { keyIn, readMetadata } from '../../src/application/facts/metadata.js'
import type { LoggedFact } from '../../src/application/facts/ports/fact-log.js'
import { RefusalAt } from '../../src/application/ports/refusal.js'
import type {
  FactsPage,
  FactsQuery,
  FeedFact,
  ListedEntity,
  Part,
  Queries,
  QueryName,
  ReadModel,
  ReadStatus,
  TimelineItem,
  TimelineCursor,
  TimelineQuery,
  Want,
  QueryOf,
  AnswerOf,
} from '../../src/application/reading/ports/read-model.js'
import { JsonText } from '../../src/domain/json.js'
import { entityStream } from '../../src/domain/entity.js'
import { logTimeAfter, type EntityFact } from '../../src/domain/facts.js'
import { isFullProfile, profileAfter, type Profile } from '../../src/domain/profile.js'
import { stepsOf, valueAt } from '../../src/domain/segments/rule/pointer.js'
import { buildingSegments, type SegmentAnswers } from './fake-segments.js'
import type { LoggedStore } from './logged-store.js'

interface KnownFact {
  readonly fact: Fact
  readonly entity: EntityFact | undefined
  readonly feed: FeedFact
  readonly position: number
  /** At this fact. */
  readonly logTime: number
}

/** A read model that folds anew for each question, with all the promises of the port. */
export class MemoryReadModel implements ReadModel {
  private known: KnownFact[] = []
  /** Those that are full, as its status has them. */
  private fullProfiles: readonly string[] = []
  private readonly listeners = new Set<() => void>()
  private readonly waiting = new Set<() => void>()
  private building = false
  private builds = 0
  private isHeld = false
  trouble: string | undefined
  /** Every question is answered with it. */
  failure: Error | undefined
  /** How often each question was asked. */
  readonly asked: { name: QueryName; query: unknown }[] = []
  /** Beside each profile. */
  segmentsBuilding: readonly string[] = []
  /** What it says of segments: to be replaced. */
  readonly segments: SegmentAnswers = buildingSegments(() => this.applied.position)

  constructor(private readonly store: LoggedStore) {
    store.whenStored(() => {
      if (!this.isHeld) this.catchUp()
    })
  }

  /** Over a store that is empty now. */
  beginAnew(): void {
    this.known = []
    this.fullProfiles = []
    this.building = false
    this.builds = 0
    this.isHeld = false
    this.trouble = undefined
    this.failure = undefined
    this.asked.length = 0
    this.segmentsBuilding = []
    Object.assign(
      this.segments,
      buildingSegments(() => this.applied.position),
    )
  }

  /** Facts are not applied from now on, until `catchUp`. */
  hold(): void {
    this.isHeld = true
  }

  /** Applies facts up to a position, by default all. */
  catchUp(upTo = Number.POSITIVE_INFINITY): void {
    if (upTo === Number.POSITIVE_INFINITY) this.isHeld = false
    let from = this.applied.position
    for (const logged of this.store.facts) {
      if (logged.position <= from || logged.position > upTo) continue
      this.apply(logged)
      from = this.applied.position
    }
    this.tell()
  }

  private apply(logged: LoggedFact): void {
    const fact = readFact(logged)
    if (fact === undefined) return
    const { position, id, type, stream } = logged
    const requestId = readMetadata(logged.metadata)?.$correlationId ?? ''
    const feed = { position, id, type, stream, data: JsonText.of(fact.data), requestId }
    const meaning = meaningOf(fact)
    const logTime = logTimeAfter(this.known.at(-1)?.logTime ?? 0, meaning)
    this.known.push({ fact, entity: meaning.entity, feed, position, logTime })
    if (fact.type !== 'EntityCreated' && fact.type !== 'EntityPropertiesChanged') return
    const { externalId } = fact.data
    const others = this.fullProfiles.filter((one) => one !== externalId)
    const isNowFull = isFull(folded(this.of(externalId)))
    this.fullProfiles = isNowFull ? [...others, externalId] : others
  }

  /** Forgets everything, as when the store has another past. */
  beginBuilding(): void {
    this.building = true
    this.builds += 1
    this.known = []
    this.fullProfiles = []
    this.isHeld = true
    this.tell()
  }

  endBuilding(): void {
    this.building = false
    this.catchUp()
  }

  get status(): ReadStatus {
    return {
      applied: this.applied,
      reached: this.applied.position,
      newest: this.store.newest,
      isBuilding: this.building,
      fullProfiles: this.building ? [] : this.fullProfiles,
      logTime: this.known.at(-1)?.logTime ?? 0,
      builds: this.builds,
      segments: undefined,
      trouble: this.trouble,
    }
  }

  watch(listener: () => void): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  /** How many watch. */
  get watchers(): number {
    return this.listeners.size
  }

  async query<N extends QueryName>(name: N, query: QueryOf<N>, want: Want): Promise<AnswerOf<N>> {
    if (this.failure !== undefined) throw this.failure
    this.asked.push({ name, query })
    await this.isKnown(want)
    const { applied, logTime } = this.status
    return { value: this.answers[name](query), position: applied.position, logTime }
  }

  close(): Promise<void> {
    return Promise.resolve()
  }

  private get applied() {
    const last = this.known.at(-1)
    return last === undefined
      ? { position: 0, id: '' }
      : { position: last.position, id: last.fact.id }
  }

  private tell(): void {
    for (const listener of [...this.listeners, ...this.waiting]) listener()
  }

  private async isKnown({ position = 0, waitMs }: Want): Promise<void> {
    const wanted = position === 'head' ? this.store.newest : position
    const isThere = () => !this.building && this.applied.position >= wanted
    if (isThere()) return
    const isBeyond = !this.building && wanted > this.store.newest
    await new Promise<void>((resolve) => {
      const done = () => {
        clearTimeout(timer)
        this.waiting.delete(look)
        resolve()
      }
      const look = () => {
        if (isThere()) done()
      }
      // A test that failed while it waited does not keep its process.
      const timer = setTimeout(done, waitMs).unref()
      this.waiting.add(look)
    })
    if (isThere()) return
    const stillBeyond = isBeyond && wanted > this.store.newest
    if (stillBeyond) throw new RefusalAt('position_unknown', this.applied.position)
    throw new RefusalAt('read_model_behind', this.applied.position)
  }

  private readonly answers: {
    readonly [Name in QueryName]: (query: QueryOf<Name>) => Queries[Name]['answer']
  } = {
    profile: ({ externalId }) => this.withoutSegments(folded(this.of(externalId))),
    erasedEntity: ({ entityId }) => {
      const said = {
        isApplied: false,
        isEvaluated: true,
        unpublishedLeaves: 0,
        memberships: 0,
        clock: [],
        removed: { facts: {}, keys: 0, positions: [] },
      }
      for (const { fact, position } of this.known) {
        if (fact.type !== 'EntityErased' || fact.data.entityId !== entityId) continue
        return { ...said, position: String(position), erasedAt: fact.data.at }
      }
      return said
    },
    erasureDryRun: () => undefined,
    clockFloors: () => [],
    profileAt: ({ externalId, asOf = Infinity, knownAt = Infinity }) =>
      this.withoutSegments(
        folded(
          this.of(externalId).filter(
            ({ entity, logTime }) =>
              Date.parse(entity?.tookEffectAt ?? '') <= asOf && logTime <= knownAt,
          ),
        ),
      ),
    entities: ({ after = 0, limit }) => this.entities(after, limit),
    entitiesByName: (query) => this.entitiesByName(query),
    entitiesByProperty: ({ pointer, text, after = 0, limit }) => {
      const steps = stepsOf(pointer)
      const left = this.allListed.filter(({ entityId, properties }) => {
        const position = this.known.find(({ fact }) => fact.id === entityId)?.position ?? 0
        return position > after && valueAt(properties.value, steps) === text
      })
      const items = left.slice(0, limit)
      const last = left.length > limit ? items.at(-1)?.entityId : undefined
      return { items, next: this.known.find(({ fact }) => fact.id === last)?.position }
    },
    entityById: ({ entityId }) => {
      const creation = this.known.find(({ fact }) => fact.id === entityId)
      return creation?.fact.type === 'EntityCreated' ? this.listed(creation.fact) : undefined
    },
    timeline: (query) => this.timeline(query),
    history: ({ externalId, after = Infinity, limit }) => {
      const facts = this.of(externalId)
      if (facts.length === 0) return undefined
      const changes = facts.filter((known) => changeOf(known).length > 0).reverse()
      const left = changes.filter(({ position }) => position < after)
      const part = left.slice(0, limit)
      const next = left.length > part.length ? part.at(-1)?.position : undefined
      return { items: part.flatMap(changeOf), next }
    },
    facts: (query) => this.facts(query),
    keyed: ({ stream, key }) => {
      const kept = this.store.facts.filter(
        (fact) => fact.stream === stream && keyIn(fact.metadata) === key,
      )
      const last = kept.at(-1)
      return last === undefined ? undefined : { facts: kept, position: last.position }
    },
    factAt: ({ position }) => {
      const known = this.known.find((one) => one.position === position)
      return known === undefined ? undefined : { position, id: known.fact.id }
    },
    segments: (query) => this.segments.segments(query),
    segment: (query) => this.segments.segment(query),
    segmentVersions: (query) => this.segments.segmentVersions(query),
    segmentMembers: (query) => this.segments.segmentMembers(query),
    entitySegments: (query) => this.segments.entitySegments(query),
    explainSegment: (query) => this.segments.explainSegment(query),
    evaluateRule: (query) => this.segments.evaluateRule(query),
    segmentChanges: (query) => this.segments.segmentChanges(query),
    segmentCurve: (query) => this.segments.segmentCurve(query),
    estimateRule: (query) => this.segments.estimateRule(query),
    previewRule: (query) => this.segments.previewRule(query),
    unpublished: (query) => this.segments.unpublished(query),
  }

  private withoutSegments(profile: Profile | undefined) {
    return (
      profile && {
        ...profile,
        properties: JsonText.of(profile.properties),
        segments: [],
        segmentsBuilding: this.segmentsBuilding,
      }
    )
  }

  private of(externalId: string): readonly KnownFact[] {
    return this.known.filter(({ feed }) => feed.stream === entityStream(externalId))
  }

  private listed({
    id,
    data,
  }: Fact & { readonly type: 'EntityCreated' }): ListedEntity | undefined {
    const profile = folded(this.of(data.externalId))
    if (profile === undefined) return undefined
    const { externalId, properties, createdAt, updatedAt } = profile
    return { externalId, entityId: id, properties: JsonText.of(properties), createdAt, updatedAt }
  }

  private get allListed(): readonly ListedEntity[] {
    return this.known.flatMap(({ fact }) =>
      fact.type === 'EntityCreated' ? (this.listed(fact) ?? []) : [],
    )
  }

  private entitiesByName({ startsWith, after, limit }: QueryOf<'entitiesByName'>) {
    const left = this.allListed
      .filter(({ externalId }) => externalId.startsWith(startsWith))
      .filter(({ externalId }) => after === undefined || byCodePoint(externalId, after) > 0)
      .sort((one, other) => byCodePoint(one.externalId, other.externalId))
    const items = left.slice(0, limit)
    return { items, next: left.length > limit ? items.at(-1)?.externalId : undefined }
  }

  private entities(after: number, limit: number): Part<ListedEntity, number> {
    const left = this.known.filter(
      ({ fact, position }) => fact.type === 'EntityCreated' && position > after,
    )
    const part = left.slice(0, limit)
    const items = part.flatMap(({ fact }) =>
      fact.type === 'EntityCreated' ? (this.listed(fact) ?? []) : [],
    )
    return { items, next: left.length > part.length ? part.at(-1)?.position : undefined }
  }

  private timeline(query: TimelineQuery): Part<TimelineItem, TimelineCursor> | undefined {
    const { externalId, by, order, name, since = -Infinity, until = Infinity, after, limit } = query
    const facts = this.of(externalId)
    if (facts.length === 0) return undefined
    const sign = order === 'asc' ? 1 : -1
    // The clocks of those who record may differ: the order of recording is that of positions.
    const compare = (left: TimelineCursor, right: TimelineCursor) =>
      (by === 'occurred' ? left.at - right.at : 0) || left.position - right.position
    const events = facts
      .flatMap(eventOf)
      .map((event) => ({
        ...event,
        at: Date.parse(by === 'occurred' ? event.item.occurredAt : event.item.recordedAt),
      }))
      .filter(({ item, at }) => (name ?? item.name) === item.name && since <= at && at < until)
      .sort((left, right) => sign * compare(left, right))
    const isAfter = (place: TimelineCursor) =>
      after === undefined || sign * compare(place, after) > 0
    const left = events.filter(isAfter)
    const part = left.slice(0, limit)
    const last = part.at(-1)
    const next =
      last === undefined || left.length === part.length
        ? undefined
        : { at: last.at, position: last.position }
    return { items: part.map(({ item }) => item), next }
  }

  private facts({ after, limit, types, stream, lookAt = Infinity }: FactsQuery): FactsPage {
    const beyond = this.known.filter(({ position }) => position > after)
    const facts: FeedFact[] = []
    let reached = this.checkpointUpTo(after)
    let looked = 0
    for (const { feed } of beyond) {
      if (facts.length === limit || looked === lookAt) return { facts, reached, atHead: false }
      looked += 1
      reached = { position: feed.position, id: feed.id }
      if (types?.includes(feed.type) === false) continue
      if (stream !== undefined && feed.stream !== stream) continue
      facts.push(feed)
    }
    return { facts, reached, atHead: true }
  }

  private checkpointUpTo(position: number) {
    const last = this.known.findLast((one) => one.position <= position)
    return last === undefined
      ? { position: 0, id: '' }
      : { position: last.position, id: last.fact.id }
  }
}

/** UTF-8 has the order of code points. */
function byCodePoint(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right))
}

function isFull(profile: Profile | undefined): boolean {
  if (profile === undefined) return false
  const { properties } = profile
  return isFullProfile(
    Object.keys(properties).length,
    Buffer.byteLength(JSON.stringify(properties)),
  )
}

function folded(facts: readonly KnownFact[]): Profile | undefined {
  let profile: Profile | undefined
  for (const { entity } of facts) if (entity) profile = profileAfter(profile, entity)
  return profile
}

function changeOf({ fact, feed: { requestId } }: KnownFact) {
  switch (fact.type) {
    case 'EntityCreated': {
      const { properties: set, createdAt: changedAt } = fact.data
      return [{ factId: fact.id, changedAt, set: JsonText.of(set), unset: [], requestId }]
    }
    case 'EntityPropertiesChanged': {
      const { set, unset, changedAt } = fact.data
      return [{ factId: fact.id, changedAt, set: JsonText.of(set), unset, requestId }]
    }
    default:
      return []
  }
}

function eventOf({ fact, position }: KnownFact) {
  if (fact.type !== 'EventRecorded') return []
  const { name, properties, recordedAt } = fact.data
  const item = {
    id: fact.id,
    name,
    properties: JsonText.of(properties),
    recordedAt,
    occurredAt: fact.data.occurredAt ?? recordedAt,
  }
  return [{ item, position }]
}
