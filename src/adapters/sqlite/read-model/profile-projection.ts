import type { EntityCreated, EntityPropertiesChanged } from '../../../domain/entity.js'
import type { EventRecorded } from '../../../domain/event.js'
import { recordedAt } from '../../../domain/log-time.js'
import type { EntityFact } from '../../../domain/profile.js'
import { isMembersFact, type HandFact } from '../../../domain/segments/segment-facts.js'
import { instantOf } from '../../../domain/timestamp.js'
import type { Database } from '../file/driver.js'
import { EntityIds } from './entity-ids.js'
import type { EntityLogs } from './entity-log/entity-logs.js'
import { logTables } from './entity-log/log-blocks.js'
import { changeKind, creationKind, eventKind, handKind } from './fact-kind.js'
import { ProfileBuffer } from './profile-buffer.js'
import type { AppliedProjection, PlacedFact, Projection } from './projection.js'

/**
 * Entities, and where each one's facts are. `is_full`: 1 when the profile takes no more properties. All
 * instants are milliseconds since 1970. An entity's number is the position of its creation.
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
  ${logTables}`

export const profileProjection: Projection = {
  tables,
  over: (db, logs) => new ProfileProjection(db, logs),
}

class ProfileProjection implements AppliedProjection {
  private readonly ids: EntityIds
  private readonly profiles: ProfileBuffer

  constructor(
    db: Database,
    private readonly logs: EntityLogs,
  ) {
    this.ids = new EntityIds(db)
    this.profiles = new ProfileBuffer(db)
  }

  apply(facts: readonly PlacedFact[]): void {
    for (const placed of facts) {
      this.add(placed)
      if (this.profiles.isFull) this.writeProfiles()
    }
  }

  write(): void {
    this.writeProfiles()
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
    this.ids.add(externalId, placed.logged)
    this.profiles.create(entity, fact, data.length)
    this.place(entity, creationKind, fact, placed)
  }

  private change(fact: EntityPropertiesChanged, placed: PlacedFact): void {
    const entity = this.ids.of(fact.data.externalId, placed.logged)
    if (entity === undefined) return
    this.profiles.change(entity, fact, placed.logged.data.length)
    this.place(entity, changeKind, fact, placed)
  }

  private record(event: EventRecorded, placed: PlacedFact): void {
    const entity = this.ids.of(event.data.entityExternalId, placed.logged)
    if (entity === undefined) return
    this.place(entity, eventKind(event.data.name), event, placed)
  }

  /** Its place is stored for those who explain why an entity is in a segment; its profile stays. */
  private move(fact: HandFact, placed: PlacedFact): void {
    const entity = this.ids.of(fact.data.externalId, placed.logged)
    if (entity !== undefined) this.place(entity, handKind, fact, placed)
  }

  private place(
    entity: number,
    kind: number,
    fact: EntityFact,
    { logged: { position }, logTime }: PlacedFact,
  ): void {
    const recorded = instantOf(recordedAt(fact))
    const at = ownTimeOf(fact) ?? recorded
    this.logs.append(entity, { position, kind, logTime, behind: logTime - recorded, at })
  }

  private writeProfiles(): void {
    this.profiles.write()
    this.ids.written()
  }
}

/** Undefined: when it was recorded. */
function ownTimeOf(fact: EntityFact): number | undefined {
  const given = fact.type === 'EventRecorded' ? fact.data.occurredAt : undefined
  return given === undefined ? undefined : instantOf(given)
}
