import type { EntityFact, PropertyChange } from '../../../domain/facts.js'
import type { Json, JsonObject } from '../../../domain/json.js'
import { applyChange, isFullProfile } from '../../../domain/profile.js'
import { epochMsOf } from '../../../domain/timestamp.js'
import { type Database, prepareAll, type Statements } from '../file/driver.js'
import { objectIn, textIn } from '../file/row.js'
import type { Dictionary } from './dictionary/dictionary.js'
import { PropertyIndex } from './property-index.js'

/**
 * The most characters of buffered fact text. The limit is low because a parsed profile is much larger than its
 * text.
 */
const maxCharacters = 2_097_152

interface BufferedProfile {
  readonly creation: EntityFact | undefined
  readonly before: JsonObject
  /** The properties after all buffered changes. Undefined while no change is buffered. */
  changed: Map<string, Json> | undefined
  /** The time of the last change, in milliseconds since 1970. */
  updatedAt: number
}

/** Buffers changes to profiles, so that a profile is read and written only once for many changes. */
export class ProfileBuffer {
  private readonly statements: Statements<typeof sql>
  private readonly index: PropertyIndex
  private readonly profiles = new Map<number, BufferedProfile>()
  private characters = 0

  constructor(
    db: Database,
    private readonly dictionary: Dictionary,
  ) {
    this.statements = prepareAll(db, sql)
    this.index = new PropertyIndex(db)
  }

  get isFull(): boolean {
    return this.characters > maxCharacters
  }

  /**
   * Buffers a new profile with the initial properties `before`. `characters` is the approximate length of the
   * fact's text.
   */
  create(entity: number, creation: EntityFact, before: JsonObject, characters: number): void {
    const updatedAt = epochMsOf(creation.recordedAt)
    this.profiles.set(entity, { creation, before, changed: undefined, updatedAt })
    this.characters += characters
  }

  /**
   * Buffers a change of properties. `updatedAt` is in milliseconds since 1970, and `characters` is the
   * approximate length of the fact's text.
   */
  change(entity: number, change: PropertyChange, updatedAt: number, characters: number): void {
    const profile = this.profiles.get(entity) ?? this.load(entity)
    profile.changed ??= new Map(Object.entries(profile.before))
    applyChange(profile.changed, change)
    profile.updatedAt = updatedAt
    this.characters += characters
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
    const properties = objectIn(textIn(row))
    this.index.remove(entity, properties)
    this.dictionary.removeProfile(properties)
    this.statements.remove.run(entity)
  }

  private load(entity: number): BufferedProfile {
    const text = textIn(this.statements.properties.get(entity))
    const profile = {
      creation: undefined,
      before: objectIn(text),
      changed: undefined,
      updatedAt: 0,
    }
    this.profiles.set(entity, profile)
    this.characters += text.length
    return profile
  }

  private writeOne(
    entity: number,
    { creation, before, changed, updatedAt }: BufferedProfile,
  ): void {
    const properties = changed === undefined ? before : Object.fromEntries(changed)
    const text = JSON.stringify(properties)
    const size = changed?.size ?? Object.keys(before).length
    const isFull = Number(isFullProfile(size, Buffer.byteLength(text)))
    if (creation === undefined) {
      this.statements.change.run(isFull, text, updatedAt, entity)
      if (changed === undefined) return
      this.index.change(entity, before, changed)
      this.dictionary.changeProfile(before, changed)
      return
    }
    const { id, externalId, recordedAt } = creation
    const createdAt = epochMsOf(recordedAt)
    this.statements.create.run(entity, externalId, id, createdAt, isFull, text, updatedAt)
    this.index.add(entity, properties)
    this.dictionary.addProfile(properties)
  }
}

const sql = {
  create: 'INSERT INTO entities VALUES (?, ?, ?, ?, ?, ?, ?)',
  properties: 'SELECT properties FROM entities WHERE entity = ?',
  remove: 'DELETE FROM entities WHERE entity = ?',
  change: 'UPDATE entities SET is_full = ?, properties = ?, updated_at = ? WHERE entity = ?',
}
