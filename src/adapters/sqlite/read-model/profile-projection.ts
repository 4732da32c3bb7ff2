import { ownTimeOf, type VoidedEvent } from '../../../domain/facts.js'
import { epochMsOf } from '../../../domain/timestamp.js'
import { dictionaryTables } from './dictionary/dictionary-tables.js'
import { logTables } from './entity-log/log-blocks.js'
import type { Void } from './entity-log/voided-events.js'
import { kindOf } from './fact-kinds.js'
import { ProfileBuffer } from './profile-buffer.js'
import { propertyTables } from './property-index.js'
import type { AppliedProjection, ErasedNow, PlacedFact, Projection } from './projection.js'
import type { Slice } from './slice.js'
import type { ReadModelTables } from './read-model-tables.js'

/**
 * The table `entities` contains the profiles. `entity` is the position of the fact that created the entity.
 * `is_full` is 1 when the profile is too large for more properties. All instants are milliseconds since 1970.
 *
 * - `created_at` and `updated_at` are the times to show: the time that the caller gave, or the time of recording.
 * - `recorded_at` is the creation's time of recording.
 * - `counted_created_at` is the instant that rules test. Null when it is equal to `created_at`.
 * - `latest_at` is the latest own time of the creation or a change. Null when it is equal to `updated_at`.
 * - `property_times` is the JSON of `PropertyTimes`. Null before the first late change.
 */
const tables = `
  CREATE TABLE entities (
    entity INTEGER PRIMARY KEY,
    external_id TEXT NOT NULL UNIQUE,
    entity_id TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    recorded_at INTEGER NOT NULL,
    counted_created_at INTEGER,
    is_full INTEGER NOT NULL,
    properties TEXT NOT NULL,
    updated_at INTEGER NOT NULL,
    latest_at INTEGER,
    property_times TEXT
  ) STRICT;
  CREATE INDEX full_profiles ON entities (entity) WHERE is_full = 1;
  ${propertyTables}
  ${dictionaryTables}
  ${logTables}`

export const profileProjection: Projection = {
  tables,
  over: (tables) => new ProfileProjection(tables),
}

class ProfileProjection implements AppliedProjection {
  private readonly profiles: ProfileBuffer

  constructor(private readonly tables: ReadModelTables) {
    this.profiles = new ProfileBuffer(tables)
  }

  apply(facts: readonly PlacedFact[]): void {
    for (const placed of facts) {
      this.add(placed)
      if (this.profiles.isFull) this.writeProfiles()
      if (this.tables.dictionary.isLarge) this.tables.dictionary.write()
    }
  }

  prepare(facts: readonly PlacedFact[], slice: Slice): readonly PlacedFact[] {
    const interrupted = facts.findIndex(({ logged, entity: fact, logTime }) => {
      // Only a change with a time from the caller can be late.
      if (fact?.occurredAt === undefined || fact.effect.kind !== 'properties') return false
      const entity = this.tables.ids.of(fact.externalId, logged)
      if (entity === undefined) return false
      const { position } = logged
      const at = ownTimeOf(fact, logTime)
      const placed = { fact, change: fact.effect, at, position }
      return !this.profiles.prepareChange(entity, placed, slice)
    })
    return interrupted < 0 ? facts : facts.slice(0, interrupted)
  }

  write(): void {
    this.writeProfiles()
  }

  forget({ entity, externalId }: ErasedNow): void {
    this.writeProfiles()
    this.profiles.forget(entity)
    const creation = this.tables.logs.after(entity, 0).next().value
    if (creation !== undefined) this.tables.dictionary.removeEntity(creation.at)
    this.tables.ids.forget(externalId, entity)
    this.tables.lent.end(entity)
  }

  /**
   * Adds a fact to the log of its entity. If the fact changes the profile, also adds the change to the profile.
   */
  private add({ logged, entity: fact, logTime }: PlacedFact): void {
    if (fact === undefined) return
    const { ids, logs, dictionary } = this.tables
    const { effect, externalId } = fact
    const { position } = logged
    const isCreation = effect.kind === 'created'
    const known = ids.of(externalId, isCreation ? undefined : logged)
    // Skips the fact if it creates an entity that exists already, or if its entity was not created yet.
    if (isCreation === (known !== undefined)) return
    const entity = known ?? position
    const at = ownTimeOf(fact, logTime)
    const characters = logged.data.length
    if (isCreation) {
      ids.add(externalId, logged)
      this.profiles.create(entity, { fact, logTime, properties: effect.set }, characters)
    } else if (effect.kind === 'properties') {
      this.profiles.change(entity, { fact, change: effect, at, position }, characters)
    }
    const lagMs = logTime - epochMsOf(fact.recordedAt)
    this.tables.lent.end(entity)
    logs.pending.add(entity, { position, kind: kindOf(effect), logTime, lagMs, at })
    if (isCreation) dictionary.addEntity(at)
    else if (effect.kind === 'event') dictionary.addEvent(effect.event, at)
    else if (effect.kind === 'voided') {
      this.void(entity, effect.event, { position, at: epochMsOf(fact.recordedAt) })
    }
  }

  /**
   * Voids an event in the entity log and in the dictionary. Does nothing when the event is missing or already
   * voided.
   */
  private void(entity: number, event: VoidedEvent, by: Void): void {
    const { events, logs, recount } = this.tables
    const found = events.find([entity], event, by.position)
    if (found === undefined || !logs.void(entity, found, by)) return
    recount.subtractVoided(entity, found.position, found)
  }

  private writeProfiles(): void {
    this.profiles.write()
    this.tables.ids.written()
  }
}
