import { ownTimeOf, shownTimeOf, type EntityFact, type PropertyChange } from './facts.js'
import type { Json, JsonObject } from './json.js'
import { broken } from './rule-violation.js'

/** The state of an entity, computed from its facts. Instants are UTC with milliseconds. */
export interface Profile {
  readonly externalId: string
  /** The entity's id, which is the id of the fact that created it. */
  readonly entityId: string
  readonly properties: JsonObject
  /** The own time of the creation. It never changes. */
  readonly createdAt: string
  /** The time when the creation was recorded. */
  readonly recordedAt: string
  /** The latest own time of a property change. The creation counts as a change. */
  readonly updatedAt: string
  readonly eventCount: number
  /** The latest own time of an event. Undefined while the entity has no events. */
  readonly lastEventAt: string | undefined
}

/**
 * Folds the facts of one entity into a profile, which does not contain segments. For each property name, the
 * set or unset with the latest own time wins. If own times are equal, the higher position wins. Do not add
 * voided events: a fold keeps no events, so it cannot take an event back.
 */
export class ProfileFold {
  private creation: EntityFact | undefined
  private exists = false
  private readonly properties = new Map<string, Json>()
  /** For each property name, the latest own time of a set or unset, in milliseconds since 1970. */
  private readonly times = new Map<string, number>()
  private latestAt = -Infinity
  private updatedAt: string | undefined
  private eventCount = 0
  private lastEventAt: string | undefined

  /** Counts only facts with own times up to `asOf`, in milliseconds since 1970. */
  constructor(private readonly asOf = Infinity) {}

  /** Adds the next fact, in position order. `logTime` is the log time at the fact. */
  add(fact: EntityFact, logTime: number): void {
    const { effect } = fact
    if (effect.kind === 'created') this.creation ??= fact
    const at = ownTimeOf(fact, logTime)
    if (this.creation === undefined || at > this.asOf) return
    if (effect.kind === 'event') this.addEvent(shownTimeOf(fact))
    if (effect.kind === 'properties' || fact === this.creation) this.addChange(fact, at)
  }

  private addChange(fact: EntityFact, at: number): void {
    const { effect } = fact
    if (effect.kind !== 'created' && effect.kind !== 'properties') return
    this.exists = true
    const isLatest = (name: string) => at >= (this.times.get(name) ?? -Infinity)
    const names = new Set([...Object.keys(effect.set), ...effect.unset].filter(isLatest))
    for (const name of names) this.times.set(name, at)
    applyChange(this.properties, partOfChange(effect, names))
    if (at < this.latestAt) return
    this.latestAt = at
    this.updatedAt = shownTimeOf(fact)
  }

  private addEvent(at: string): void {
    this.exists = true
    this.eventCount += 1
    // All stored times have one format, so the greater text is the later instant.
    if (this.lastEventAt === undefined || at > this.lastEventAt) this.lastEventAt = at
  }

  /**
   * The profile. Undefined when no creation, change or event has an own time up to `asOf`. `createdAt` may be
   * later than `asOf`, because a change or an event may have an earlier own time than the creation.
   */
  get profile(): Profile | undefined {
    const { creation, updatedAt, eventCount, lastEventAt } = this
    if (creation === undefined || !this.exists) return undefined
    const createdAt = shownTimeOf(creation)
    return {
      externalId: creation.externalId,
      entityId: creation.id,
      properties: Object.fromEntries(this.properties),
      createdAt,
      recordedAt: creation.recordedAt,
      updatedAt: updatedAt ?? createdAt,
      eventCount,
      lastEventAt,
    }
  }
}

/** Returns the part of a change that sets or unsets the given names. */
export function partOfChange(
  { set, unset }: PropertyChange,
  names: ReadonlySet<string>,
): PropertyChange {
  return {
    set: Object.fromEntries(Object.entries(set).filter(([name]) => names.has(name))),
    unset: unset.filter((name) => names.has(name)),
  }
}

/** Sets and removes top-level properties. A property that already exists keeps its place in the order of properties. */
export function applyChange(properties: Map<string, Json>, { set, unset }: PropertyChange): void {
  for (const name of unset) properties.delete(name)
  for (const [name, value] of Object.entries(set)) properties.set(name, value)
}

const maxProfileProperties = 2_048
/** The maximum size of the properties as JSON text, in bytes of UTF-8. */
const maxProfileBytes = 1_048_576

/**
 * Returns whether a profile has too many properties or bytes, so that further properties are refused. A
 * change does not read the profile first, so one change may exceed the limit. The next change is then
 * refused.
 */
export function isFullProfile(properties: number, bytes: number): boolean {
  return properties > maxProfileProperties || bytes > maxProfileBytes
}

/** The violation that is reported for a change of a full profile, even if each value in the change is valid. */
export const fullProfile = broken(
  'too_many',
  'the entity has over 2,048 properties or over 1 MiB of them: unset some first',
)
