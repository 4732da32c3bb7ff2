import { Deadlines } from './deadlines.js'
import { nobodyWaits, type Cancellation } from './ports/cancellation.js'
import { Refusal, isRefused } from './ports/refusal.js'

export interface SemaphoreLimits {
  /** What may be taken at once, in all. */
  readonly most: number
  /** The same of one owner: less than `most`, so that another one finds room. All, where nothing is said. */
  readonly mostOfOne?: number
  /** Requests that wait, in all; one owner may have half of them. None, where nothing is said. */
  readonly queued?: number
}

interface Patience {
  /** How long may be waited for room, in milliseconds; Infinity: as long as it takes. */
  readonly waitMs: number
  /** What is taken of the limits; 1 where nothing is said. */
  readonly weight?: number
  readonly cancellation?: Cancellation | undefined
}

/** Gives back what was taken; to be called once. */
export type Release = () => void

interface Waiter {
  readonly weight: number
  readonly begin: () => void
}

interface Owner {
  used: number
  readonly waiting: Set<Waiter>
}

/**
 * A weighted semaphore that is shared fairly: owners who wait are served round-robin, each with its oldest
 * request, however many requests one of them has. What is alone is never too heavy.
 */
export class Semaphore {
  private used = 0
  private queued = 0
  /** Those who have taken something or wait; the one who is served next comes first. */
  private readonly owners = new Map<string, Owner>()
  private readonly deadlines = new Deadlines()
  private readonly limits: Required<SemaphoreLimits>

  constructor({ most, mostOfOne = most, queued = 0 }: SemaphoreLimits) {
    this.limits = { most, mostOfOne, queued }
  }

  get waiting(): number {
    return this.queued
  }

  /** Nothing is taken, and nobody waits. */
  get isIdle(): boolean {
    return this.used === 0 && this.queued === 0
  }

  /** Undefined when there is no room now. */
  tryTake(name: string, weight: number): Release | undefined {
    const owner = this.ownerOf(name)
    if (this.hasRoomFor(owner, weight)) return this.begin(name, owner, weight)
    this.forgetIfIdle(name, owner)
    return undefined
  }

  /** Rejects with `overloaded`: too many wait, the time is over, or nobody waits any more. */
  take(name: string, patience: Patience): Release | Promise<Release> {
    const { weight = 1, cancellation } = patience
    if (cancellation?.isCancelled === true) throw nobodyWaits()
    const owner = this.ownerOf(name)
    if (owner.waiting.size === 0 && this.hasRoomFor(owner, weight)) {
      return this.begin(name, owner, weight)
    }
    const { queued } = this.limits
    if (this.queued >= queued || owner.waiting.size >= queued / 2) {
      this.forgetIfIdle(name, owner)
      throw new Refusal('overloaded', 'too many requests wait already')
    }
    return this.wait(name, owner, weight, patience)
  }

  /** Runs `work` when there is room, or after the time, and then without being counted. */
  async run<T>(name: string, patience: Patience, work: () => Promise<T>): Promise<T> {
    let release: Release | undefined
    try {
      release = await this.take(name, patience)
    } catch (error) {
      if (!isRefused(error, 'overloaded')) throw error
    }
    try {
      return await work()
    } finally {
      release?.()
    }
  }

  private ownerOf(name: string): Owner {
    const found = this.owners.get(name)
    if (found !== undefined) return found
    const owner = { used: 0, waiting: new Set<Waiter>() }
    this.owners.set(name, owner)
    return owner
  }

  private hasRoomFor(owner: Owner, weight: number): boolean {
    const { most, mostOfOne } = this.limits
    return (
      (this.used === 0 || this.used + weight <= most) &&
      (owner.used === 0 || owner.used + weight <= mostOfOne)
    )
  }

  private begin(name: string, owner: Owner, weight: number): Release {
    this.used += weight
    owner.used += weight
    if (this.owners.size > 1) {
      // The others come first next time.
      this.owners.delete(name)
      this.owners.set(name, owner)
    }
    return () => {
      this.used -= weight
      owner.used -= weight
      this.forgetIfIdle(name, owner)
      this.letIn()
    }
  }

  private wait(
    name: string,
    owner: Owner,
    weight: number,
    { waitMs, cancellation }: Patience,
  ): Promise<Release> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        if (deadline !== undefined) this.deadlines.drop(deadline)
        cancellation?.forget(abandon)
        if (owner.waiting.delete(waiter)) this.queued -= 1
        this.forgetIfIdle(name, owner)
      }
      const refuse = (error: Refusal) => {
        leave()
        reject(error)
        // One that waited behind it may be light enough.
        this.letIn()
      }
      const abandon = () => {
        refuse(nobodyWaits())
      }
      const waiter = {
        weight,
        begin: () => {
          leave()
          resolve(this.begin(name, owner, weight))
        },
      }
      const isLate = () => {
        refuse(new Refusal('overloaded', 'there was no room in time'))
      }
      const deadline = waitMs === Infinity ? undefined : this.deadlines.add(waitMs, isLate)
      cancellation?.listen(abandon)
      owner.waiting.add(waiter)
      this.queued += 1
    })
  }

  private letIn(): void {
    for (let next = this.next(); next !== undefined; next = this.next()) next.begin()
  }

  private next(): Waiter | undefined {
    if (this.queued === 0) return undefined
    for (const owner of this.owners.values()) {
      const [first] = owner.waiting
      if (first !== undefined && this.hasRoomFor(owner, first.weight)) return first
    }
    return undefined
  }

  private forgetIfIdle(name: string, owner: Owner): void {
    if (owner.used === 0 && owner.waiting.size === 0 && this.owners.get(name) === owner) {
      this.owners.delete(name)
    }
  }
}
