import { Deadlines } from './deadlines.js'
import { nobodyWaits, type Cancellation } from './ports/cancellation.js'
import { Refusal, isRefused } from './ports/refusal.js'

export interface SemaphoreLimits {
  /** The maximum weight that all owners together may hold at once. */
  readonly most: number
  /**
   * The maximum weight that one owner may hold at once. The default is `most`. A lower limit leaves
   * room for other owners.
   */
  readonly mostOfOne?: number
  /** The maximum number of waiting requests. One owner may have half of them. The default is 0. */
  readonly queued?: number
}

interface Patience {
  /**
   * The longest time that a request waits for its weight, in milliseconds. Infinity means no limit.
   */
  readonly waitMs: number
  /** The weight to acquire. The default is 1. */
  readonly weight?: number
  readonly cancellation?: Cancellation | undefined
}

/** Returns the acquired weight to the semaphore. Call it once. */
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
 * A fair, weighted semaphore. Owners with waiting requests are served round-robin, so an owner with
 * many requests gets no larger share. The requests of one owner are served in their order. While no
 * owner holds weight, a request of any weight is accepted.
 */
export class Semaphore {
  private used = 0
  private queued = 0
  /** The owners that hold weight or have waiting requests, in the order in which they are served. */
  private readonly owners = new Map<string, Owner>()
  private readonly deadlines = new Deadlines()
  private readonly limits: Required<SemaphoreLimits>

  constructor({ most, mostOfOne = most, queued = 0 }: SemaphoreLimits) {
    this.limits = { most, mostOfOne, queued }
  }

  /** The number of waiting requests. */
  get waiting(): number {
    return this.queued
  }

  /** True when no owner holds weight and no request waits. */
  get isIdle(): boolean {
    return this.used === 0 && this.queued === 0
  }

  /** Acquires the weight if it is available now. Otherwise returns undefined. */
  tryTake(name: string, weight: number): Release | undefined {
    const owner = this.ownerOf(name)
    if (this.hasRoomFor(owner, weight)) return this.begin(name, owner, weight)
    this.forgetIfIdle(name, owner)
    return undefined
  }

  /**
   * Acquires the weight, at once if it is available. Fails with `overloaded` when too many requests
   * wait, after `waitMs`, or when the request is cancelled.
   */
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
      throw new Refusal('overloaded', 'too many requests are waiting')
    }
    return this.wait(name, owner, weight, patience)
  }

  /**
   * Acquires the weight and runs `work`. If the weight is not available within `waitMs`, runs
   * `work` without it.
   */
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
      // Moves the owner to the end of the queue of owners.
      this.owners.delete(name)
      this.owners.set(name, owner)
    }
    return () => {
      this.used -= weight
      owner.used -= weight
      this.forgetIfIdle(name, owner)
      this.admitWaiting()
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
        // Tries again: the owner's next request may be light enough for the weight that is left.
        this.admitWaiting()
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

  private admitWaiting(): void {
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
