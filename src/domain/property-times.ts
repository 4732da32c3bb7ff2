import type { PropertyChange } from './facts.js'
import { partOfChange } from './profile.js'

/** The most unset names whose own times are kept. */
const maxUnset = 2_048

type Times = readonly (readonly [name: string, at: number])[]

/** The stored form of `PropertyTimes`. */
export interface StoredPropertyTimes {
  readonly present: Times
  readonly unset: Times
  readonly forgotten: number | null
}

/**
 * The own times of the properties of one entity, in milliseconds since 1970. They decide which part of a late
 * change wins. An entity needs them only from its first late change on.
 *
 * Keeps the times of all properties that the entity has, and of the names that were unset last by own time. A
 * change that is older than a forgotten unset is decided from the entity's log.
 */
export class PropertyTimes {
  private readonly present: Map<string, number>
  private readonly unset: Map<string, number>
  /** The latest own time among the unsets whose names are no longer kept. */
  private forgotten: number

  constructor(stored: StoredPropertyTimes = { present: [], unset: [], forgotten: null }) {
    this.present = new Map(stored.present)
    this.unset = new Map(stored.unset)
    this.forgotten = stored.forgotten ?? -Infinity
  }

  /**
   * Adds the next change by position, and returns the part of the change that wins. `isLatest` returns whether
   * the log has no set or unset of a name with a later own time than `at`.
   */
  add(change: PropertyChange, at: number, isLatest: (name: string) => boolean): PropertyChange {
    const names = new Set<string>()
    const wins = (name: string) => {
      const known = this.present.get(name) ?? this.unset.get(name)
      if (known !== undefined) return at >= known
      return at >= this.forgotten || isLatest(name)
    }
    for (const name of change.unset) {
      if (!wins(name)) continue
      names.add(name)
      this.present.delete(name)
      // A time before `forgotten` is not kept, because a forgotten unset of the same name may be later.
      if (at >= this.forgotten) this.unset.set(name, at)
      else this.unset.delete(name)
    }
    for (const name of Object.keys(change.set)) {
      if (!wins(name)) continue
      names.add(name)
      this.unset.delete(name)
      this.present.set(name, at)
    }
    return partOfChange(change, names)
  }

  /** Returns the times to store. Forgets the oldest unset names if there are too many. */
  toStored(): StoredPropertyTimes {
    if (this.unset.size > maxUnset) {
      const newestFirst = [...this.unset].sort(([, left], [, right]) => right - left)
      for (const [name, at] of newestFirst.slice(maxUnset)) {
        this.unset.delete(name)
        this.forgotten = Math.max(this.forgotten, at)
      }
    }
    const forgotten = this.forgotten === -Infinity ? null : this.forgotten
    return { present: [...this.present], unset: [...this.unset], forgotten }
  }
}
