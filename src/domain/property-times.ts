import type { PropertyChange } from './facts.js'
import { partOfChange } from './profile.js'

/** The maximum number of unset names whose own times are kept. */
const maxUnset = 2_048

type Times = readonly (readonly [name: string, at: number])[]

/** The stored form of `PropertyTimes`. */
export interface StoredPropertyTimes {
  readonly present: Times
  readonly unset: Times
  readonly forgotten: number | null
}

/** A creation or a change of an entity, with its own time `at` in milliseconds since 1970. */
export interface ChangeAt {
  readonly at: number
  readonly change: PropertyChange
}

/**
 * The own times of one entity's properties, in milliseconds since 1970. They decide which part of a late change
 * wins. An entity needs them only from its first late change on.
 *
 * Keeps the times of all present properties, and of the names that were unset most recently by own time. A name
 * without a kept time was last set or unset at the own time `forgotten`, or earlier. For a late change of such
 * a name, `PropertySearch` searches the entity's log. It keeps the time of each name that it reads. Unless
 * there are too many unset names, no change is therefore read twice.
 */
export class PropertyTimes {
  private readonly present: Map<string, number>
  private readonly unset: Map<string, number>
  /** The latest own time of an unset whose name is no longer kept. */
  private forgotten: number
  /** Works like `forgotten`, for single names. Used when there are too many unset names. */
  private readonly forgottenOf = new Map<string, number>()

  constructor(stored: StoredPropertyTimes = { present: [], unset: [], forgotten: null }) {
    this.present = new Map(stored.present)
    this.unset = new Map(stored.unset)
    this.forgotten = stored.forgotten ?? -Infinity
  }

  /** Returns the times for an entity whose changes arrived in order. `at` is the own time of the latest change. */
  static afterChangesInOrder(at: number): PropertyTimes {
    return new PropertyTimes({ present: [], unset: [], forgotten: at })
  }

  /** Returns the search that must run before `add`. Undefined when the kept times are sufficient for the change. */
  search({ at, change }: ChangeAt): PropertySearch | undefined {
    if (at >= this.forgotten) return undefined
    const names = new Set([...Object.keys(change.set), ...change.unset])
    for (const name of names) {
      if (this.timeOf(name) !== undefined || at >= this.forgottenAt(name)) names.delete(name)
    }
    return names.size === 0 ? undefined : new PropertySearch(this, names, this.forgotten)
  }

  /** Adds the next change by position, and returns the part of the change that wins. */
  add({ at, change }: ChangeAt): PropertyChange {
    const names = new Set<string>()
    const wins = (name: string) => at >= (this.timeOf(name) ?? this.searchedUpTo(name, at))
    for (const name of change.unset) {
      if (wins(name)) names.add(name)
    }
    for (const name of Object.keys(change.set)) {
      if (wins(name)) names.add(name)
    }
    const winning = partOfChange(change, names)
    for (const name of winning.unset) this.keepTime(name, at, false)
    for (const name of Object.keys(winning.set)) this.keepTime(name, at, true)
    return winning
  }

  private searchedUpTo(name: string, at: number): number {
    const forgotten = this.forgottenAt(name)
    if (at < forgotten) throw new Error('search the log before you add the change')
    return forgotten
  }

  private timeOf(name: string): number | undefined {
    return this.present.get(name) ?? this.unset.get(name)
  }

  private forgottenAt(name: string): number {
    return Math.min(this.forgotten, this.forgottenOf.get(name) ?? Infinity)
  }

  private keepTime(name: string, at: number, isSet: boolean): void {
    this.present.delete(name)
    this.unset.delete(name)
    const times = isSet ? this.present : this.unset
    times.set(name, at)
  }

  /** True while a search may keep the times of all names that it reads. */
  get mayKeepAll(): boolean {
    return this.unset.size < maxUnset
  }

  /** Keeps the own time of a name that a search has found, unless a later time is kept. */
  keepFound(name: string, at: number, isSet: boolean): void {
    if (this.timeOf(name) === undefined) this.keepTime(name, at, isSet)
  }

  /** Records that the kept times include every set and unset after the own time `at`. */
  keepSearchedUpTo(at: number): void {
    this.forgotten = at
  }

  /** Records that a name was not set or unset after the own time `at`. */
  keepAbsent(name: string, at: number): void {
    this.forgottenOf.set(name, at)
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

/** Finds the latest changes of the names whose times `PropertyTimes` does not keep. */
export class PropertySearch {
  /** Becomes false when there are too many unset names to keep the times of further names. */
  private keepsAll = true

  /** `from` is the own time at which the search begins. */
  constructor(
    private readonly times: PropertyTimes,
    private readonly names: Set<string>,
    readonly from: number,
  ) {}

  /**
   * Takes the next change. Call it in descending order of own time. Returns true when no further change is
   * needed. A search may stop at any change, because `PropertyTimes` keeps its progress.
   */
  take({ at, change }: ChangeAt): boolean {
    this.keepsAll &&= this.times.mayKeepAll
    for (const name of Object.keys(change.set)) this.takeName(name, at, true)
    for (const name of change.unset) this.takeName(name, at, false)
    if (this.keepsAll) this.times.keepSearchedUpTo(at)
    return this.names.size === 0
  }

  private takeName(name: string, at: number, isSet: boolean): void {
    if (this.names.delete(name) || this.keepsAll) this.times.keepFound(name, at, isSet)
  }

  /** Ends a search that has taken all changes with own times after `at`. */
  endAt(at: number): void {
    if (this.keepsAll) this.times.keepSearchedUpTo(at)
    else for (const name of this.names) this.times.keepAbsent(name, at)
  }
}
