import type { EntityCreated, EntityPropertiesChanged } from '../../../domain/entity.js'
import type { EventRecorded } from '../../../domain/event.js'
import { recordedAt } from '../../../domain/log-time.js'
import { occurredAt, type EntityFact } from '../../../domain/profile.js'
import { isMembersFact, type HandFact } from '../../../domain/segments/segment-facts.js'
import { BufferedInsert } from '../file/buffered-insert.js'
import type { Database, Statement } from '../file/driver.js'
import { EntityIds } from './entity-ids.js'
import { changeKind, creationKind, eventKind, handKind } from './fact-kind.js'
import { HeldProfiles } from './held-profiles.js'
import type { AppliedProjection, PlacedFact, Projection } from './projection.js'

/**
 * Entities, and where each one's facts are. `is_full`: 1 when the profile takes no more properties. All instants are milliseconds since 1970. An entity's number
 * is the position of its creation. `behind`: by how much the fact was recorded before its log time.
 */
const tables = `
  CREATE TABLE entities (
    entity INTEGER PRIMARY KEY,
    external_id TEXT NOT NULL UNIQUE,
    entity_id TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    is_full INTEGER NOT NULL,
    properties TEXT NOT NULL,
    updated_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX full_profiles ON entities (entity) WHERE is_full = 1;
  CREATE TABLE activity (
    entity INTEGER PRIMARY KEY,
    event_count INTEGER NOT NULL,
    last_event_at INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE places (
    entity INTEGER NOT NULL,
    position INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    log_time INTEGER NOT NULL,
    behind INTEGER NOT NULL,
    PRIMARY KEY (entity, position)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX changes ON places (entity, position) WHERE kind < 2;
  CREATE TABLE timeline (
    entity INTEGER NOT NULL,
    occurred_at INTEGER NOT NULL,
    position INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    PRIMARY KEY (entity, occurred_at, position)
  ) STRICT, WITHOUT ROWID;`

export const profileProjection: Projection = {
  tables,
  over: (db) => new ProfileProjection(db),
}

/** What the events of a batch add to an entity. */
interface NewActivity {
  count: number
  last: number
}

type PlaceRow = [entity: number, position: number, kind: number, logTime: number, behind: number]
type TimelineRow = [entity: number, occurredAt: number, position: number, kind: number]

class ProfileProjection implements AppliedProjection {
  private readonly ids: EntityIds
  private readonly profiles: HeldProfiles
  private readonly act: Statement
  private readonly activityInsert: BufferedInsert
  private readonly placeInsert: BufferedInsert
  private readonly timelineInsert: BufferedInsert
  private places: PlaceRow[] = []
  private timeline: TimelineRow[] = []
  private readonly activity = new Map<number, NewActivity>()

  constructor(db: Database) {
    this.ids = new EntityIds(db)
    this.profiles = new HeldProfiles(db)
    this.activityInsert = new BufferedInsert(db, 'activity', 3)
    this.act = db.prepare(
      `UPDATE activity SET event_count = event_count + ?, last_event_at = max(last_event_at, ?)
       WHERE entity = ?`,
    )
    this.placeInsert = new BufferedInsert(db, 'places', 5)
    this.timelineInsert = new BufferedInsert(db, 'timeline', 4)
  }

  apply(facts: readonly PlacedFact[]): void {
    for (const placed of facts) {
      this.add(placed)
      if (this.profiles.isFull) this.writeProfiles()
    }
  }

  write(): void {
    this.writeProfiles()
    this.writePlaces()
    this.writeActivity()
  }

  private add(placed: PlacedFact): void {
    const { fact } = placed
    if (isMembersFact(fact)) return
    switch (fact.type) {
      case 'EntityCreated':
        this.create(fact, placed)
        return
      case 'EntityPropertiesChanged':
        this.change(fact, placed)
        return
      case 'EventRecorded':
        this.record(fact, placed)
        return
      case 'EntityAddedToSegment':
      case 'EntityRemovedFromSegment':
        this.move(fact, placed)
        return
      case 'SegmentDefined':
      case 'SegmentRetired':
      case 'TimePassed':
    }
  }

  private create(fact: EntityCreated, placed: PlacedFact): void {
    const { externalId } = fact.data
    const { position: entity, data } = placed.logged
    if (this.ids.of(externalId) !== undefined) return
    this.ids.add(externalId, entity)
    this.profiles.create(entity, fact, data.length)
    this.activityInsert.add(entity, 0, Number.MIN_SAFE_INTEGER)
    this.place(entity, creationKind, fact, placed)
  }

  private change(fact: EntityPropertiesChanged, placed: PlacedFact): void {
    const entity = this.ids.of(fact.data.externalId)
    if (entity === undefined) return
    this.profiles.change(entity, fact, placed.logged.data.length)
    this.place(entity, changeKind, fact, placed)
  }

  private record(event: EventRecorded, placed: PlacedFact): void {
    const entity = this.ids.of(event.data.entityExternalId)
    if (entity === undefined) return
    const kind = eventKind(event.data.name)
    const at = Date.parse(occurredAt(event))
    this.place(entity, kind, event, placed)
    this.timeline.push([entity, at, placed.logged.position, kind])
    const known = this.activity.get(entity)
    if (known === undefined) {
      this.activity.set(entity, { count: 1, last: at })
    } else {
      known.count += 1
      known.last = Math.max(known.last, at)
    }
  }

  /** Its place is kept for those who explain why an entity is in a segment; its profile stays. */
  private move(fact: HandFact, placed: PlacedFact): void {
    const entity = this.ids.of(fact.data.externalId)
    if (entity !== undefined) this.place(entity, handKind, fact, placed)
  }

  private place(
    entity: number,
    kind: number,
    fact: EntityFact,
    { logged, logTime }: PlacedFact,
  ): void {
    const behind = logTime - Date.parse(recordedAt(fact))
    this.places.push([entity, logged.position, kind, logTime, behind])
  }

  private writeProfiles(): void {
    this.profiles.write()
    this.ids.written()
  }

  /** In the order of the tables: neighbours are on the same page. */
  private writePlaces(): void {
    this.places.sort((left, right) => left[0] - right[0] || left[1] - right[1])
    for (const row of this.places) this.placeInsert.add(...row)
    this.placeInsert.write()
    this.timeline.sort(
      (left, right) => left[0] - right[0] || left[1] - right[1] || left[2] - right[2],
    )
    for (const row of this.timeline) this.timelineInsert.add(...row)
    this.timelineInsert.write()
    this.places = []
    this.timeline = []
  }

  private writeActivity(): void {
    this.activityInsert.write()
    const entities = [...this.activity].sort(([left], [right]) => left - right)
    for (const [entity, { count, last }] of entities) this.act.run(count, last, entity)
    this.activity.clear()
  }
}
