import {
  ownTimeOf,
  shownTimeOf,
  type EntityFact,
  type PropertyChange,
} from '../../../domain/facts.js'
import { atOnce, type InPieces } from '../../../domain/in-pieces.js'
import type { Json, JsonObject } from '../../../domain/json.js'
import { applyChange, isFullProfile } from '../../../domain/profile.js'
import { PropertyTimes, type StoredPropertyTimes } from '../../../domain/property-times.js'
import { createdAtOf } from '../../../domain/segments/membership/entity-state.js'
import { epochMsOf } from '../../../domain/timestamp.js'
import { prepareAll, type Statements } from '../file/driver.js'
import { objectIn, valuesIn } from '../file/row.js'
import type { Dictionary } from './dictionary/dictionary.js'
import type { EntityChanges } from './entity-log/entity-changes.js'
import { PropertyIndex } from './property-index.js'
import type { Slice } from './slice.js'
import type { ReadModelTables } from './read-model-tables.js'

/**
 * The most characters of buffered fact text. The limit is low because a parsed profile is much larger than its
 * text.
 */
const maxCharacters = 2_097_152

interface Creation {
  readonly fact: EntityFact
  /** The log time at the creation, in milliseconds since 1970. */
  readonly logTime: number
  readonly properties: JsonObject
}

interface BufferedProfile {
  readonly creation: Creation | undefined
  readonly before: JsonObject
  /** The properties after all buffered changes. Undefined while no change is buffered. */
  changed: Map<string, Json> | undefined
  /** The time to show for the change with the latest own time. */
  updatedAt: number
  /** The latest own time of a change. A change with an earlier own time is late. */
  latestAt: number
  /** The own times of the properties. Undefined before the first late change. */
  times: PropertyTimes | undefined
}

/** A change of properties, with its own time `at` in milliseconds since 1970. */
interface PlacedChange {
  readonly fact: EntityFact
  readonly change: PropertyChange
  readonly at: number
  readonly position: number
}

interface PausedSearch {
  readonly profile: BufferedProfile
  readonly position: number
  readonly pieces: InPieces<void>
}

/** Buffers changes to profiles, so that a profile is read and written only once for many changes. */
export class ProfileBuffer {
  private readonly statements: Statements<typeof sql>
  private readonly index: PropertyIndex
  private readonly changes: EntityChanges
  private readonly profiles = new Map<number, BufferedProfile>()
  private characters = 0
  /** The search for the late change at `position`, if a slice ended during the search. */
  private paused: PausedSearch | undefined

  private readonly dictionary: Dictionary

  constructor({ db, changes, dictionary }: Pick<ReadModelTables, 'db' | 'changes' | 'dictionary'>) {
    this.dictionary = dictionary
    this.statements = prepareAll(db, sql)
    this.index = new PropertyIndex(db)
    this.changes = changes
  }

  get isFull(): boolean {
    return this.characters > maxCharacters
  }

  /** Buffers a new profile. `characters` is the approximate length of the fact's text. */
  create(entity: number, creation: Creation, characters: number): void {
    const { fact, logTime, properties: before } = creation
    const updatedAt = epochMsOf(shownTimeOf(fact))
    const latestAt = ownTimeOf(fact, logTime)
    const unchanged = { changed: undefined, times: undefined }
    this.profiles.set(entity, { creation, before, updatedAt, latestAt, ...unchanged })
    this.characters += characters
  }

  /**
   * Reads the parts of the entity's log that a late change needs. Returns false when the slice ended first. The
   * caller must then call this method again before it applies any fact. If the caller skips this method, `change`
   * reads the log in one piece.
   */
  prepareChange(entity: number, placed: PlacedChange, slice: Slice): boolean {
    const profile = this.profiles.get(entity) ?? this.load(entity)
    const { at, position } = placed
    if (at >= profile.latestAt) return true
    const { paused } = this
    const isPaused = paused?.profile === profile && paused.position === position
    const pieces = isPaused ? paused.pieces : this.searchLog(entity, placed, profile)
    this.paused = { profile, position, pieces }
    while (pieces.next().done !== true) if (slice.endsHere()) return false
    this.paused = undefined
    return true
  }

  /** Buffers a change of properties. `characters` is the approximate length of the fact's text. */
  change(entity: number, placed: PlacedChange, characters: number): void {
    const { fact, change, at } = placed
    const profile = this.profiles.get(entity) ?? this.load(entity)
    const isLate = at < profile.latestAt
    if (isLate) atOnce(this.searchLog(entity, placed, profile))
    const winning = profile.times?.add({ at, change }) ?? change
    profile.changed ??= new Map(Object.entries(profile.before))
    applyChange(profile.changed, winning)
    if (!isLate) {
      profile.updatedAt = epochMsOf(shownTimeOf(fact))
      profile.latestAt = at
    }
    this.characters += characters
  }

  /**
   * Finds the own times of the properties in a late change. Searches the log only for properties whose own times
   * are not kept.
   */
  private *searchLog(
    entity: number,
    placed: PlacedChange,
    profile: BufferedProfile,
  ): InPieces<void> {
    const { at, position } = placed
    profile.times ??= PropertyTimes.afterChangesInOrder(profile.latestAt)
    const search = profile.times.search(placed)
    if (search === undefined) return
    for (const earlier of this.changes.latestFirst([entity], search.from, position)) {
      if (earlier.at <= at) break
      if (search.take(earlier)) return
      yield
    }
    search.endAt(at)
  }

  /** Writes the buffered profiles in table order, because neighbouring rows share a page. */
  write(): void {
    const entities = [...this.profiles].sort(([left], [right]) => left - right)
    for (const [entity, profile] of entities) this.writeOne(entity, profile)
    this.profiles.clear()
    this.characters = 0
  }

  /** Removes the profile of an erased entity. Call `write` first. */
  forget(entity: number): void {
    const row = this.statements.properties.get(entity)
    if (row === undefined) return
    const properties = objectIn(String(valuesIn(row)[0]))
    this.index.remove(entity, properties)
    this.dictionary.removeProfile(properties)
    this.statements.remove.run(entity)
  }

  private load(entity: number): BufferedProfile {
    const [text, updated, latest, times] = valuesIn(this.statements.properties.get(entity))
    const properties = String(text)
    const updatedAt = Number(updated)
    const profile = {
      creation: undefined,
      before: objectIn(properties),
      changed: undefined,
      updatedAt,
      latestAt: latest === null ? updatedAt : Number(latest),
      times: typeof times === 'string' ? new PropertyTimes(timesIn(times)) : undefined,
    }
    this.profiles.set(entity, profile)
    this.characters += properties.length + (typeof times === 'string' ? times.length : 0)
    return profile
  }

  private writeOne(entity: number, profile: BufferedProfile): void {
    const { creation, before, changed, updatedAt, latestAt, times } = profile
    const properties = changed === undefined ? before : Object.fromEntries(changed)
    const text = JSON.stringify(properties)
    const size = changed?.size ?? Object.keys(before).length
    const isFull = Number(isFullProfile(size, Buffer.byteLength(text)))
    const latest = latestAt === updatedAt ? null : latestAt
    const own = times === undefined ? null : JSON.stringify(times.toStored())
    if (creation === undefined) {
      this.statements.change.run(isFull, text, updatedAt, latest, own, entity)
      if (changed === undefined) return
      this.index.change(entity, before, changed)
      this.dictionary.changeProfile(before, changed)
      return
    }
    const { id, externalId, recordedAt } = creation.fact
    const createdAt = epochMsOf(shownTimeOf(creation.fact))
    const counted = createdAtOf(creation.fact, creation.logTime)
    const instants = [
      createdAt,
      epochMsOf(recordedAt),
      counted === createdAt ? null : counted,
    ] as const
    const state = [isFull, text, updatedAt, latest, own] as const
    this.statements.create.run(entity, externalId, id, ...instants, ...state)
    this.index.add(entity, properties)
    this.dictionary.addProfile(properties)
  }
}

/** Parses the column `property_times`, which `writeOne` wrote. */
function timesIn(text: string): StoredPropertyTimes {
  return JSON.parse(text) as StoredPropertyTimes
}

const sql = {
  create: 'INSERT INTO entities VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
  properties: `SELECT properties, updated_at, latest_at, property_times FROM entities
       WHERE entity = ?`,
  remove: 'DELETE FROM entities WHERE entity = ?',
  change: `UPDATE entities
       SET is_full = ?, properties = ?, updated_at = ?, latest_at = ?, property_times = ?
       WHERE entity = ?`,
}
