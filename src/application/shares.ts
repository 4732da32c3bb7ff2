import { Deadlines } from './deadlines.js'
import { nobodyWaits, type Cancellation } from './ports/cancellation.js'
import { Overloaded } from './ports/store-errors.js'

export interface ShareLimits {
  /** Permits in all. */
  readonly most: number
  /** Permits of one owner: fewer than `most`, so that somebody else finds one free. */
  readonly mostOfOne: number
  /** Requests that wait, in all; one owner may have half of them. */
  readonly queued: number
}

export interface Patience {
  /** How long the permit may be waited for, in milliseconds. */
  readonly waitMs: number
  /** Cancelled when nobody waits for it any more. */
  readonly cancellation?: Cancellation | undefined
}

interface Waiter {
  readonly begin: () => void
}

interface Owner {
  used: number
  readonly waiting: Set<Waiter>
}

/**
 * A semaphore whose permits are shared fairly: owners who wait are served round-robin, each with its
 * oldest request, however many requests one of them has.
 */
export class Shares {
  private used = 0
  private queued = 0
  /** Those who have a permit or wait for one; the one who is served next comes first. */
  private readonly owners = new Map<string, Owner>()
  private readonly deadlines = new Deadlines()

  constructor(private readonly limits: ShareLimits) {}

  /** Permits that are taken. */
  get taken(): number {
    return this.used
  }

  /** Requests that wait. */
  get waiting(): number {
    return this.queued
  }

  /**
   * Resolves with what gives the permit back, to be called once. Rejects with `Overloaded` when too many
   * wait already, when the time is over, or when nobody waits any more.
   */
  take(name: string, patience: Patience): (() => void) | Promise<() => void> {
    if (patience.cancellation?.isCancelled === true) throw nobodyWaits()
    const owner = this.ownerOf(name)
    if (this.hasRoomFor(owner) && owner.waiting.size === 0) return this.begin(name, owner)
    const { queued } = this.limits
    if (this.queued >= queued || owner.waiting.size >= queued / 2) {
      throw new Overloaded('too many requests wait already')
    }
    return this.wait(name, owner, patience)
  }

  private ownerOf(name: string): Owner {
    const found = this.owners.get(name)
    if (found !== undefined) return found
    const owner = { used: 0, waiting: new Set<Waiter>() }
    this.owners.set(name, owner)
    return owner
  }

  private hasRoomFor(owner: Owner): boolean {
    return this.used < this.limits.most && owner.used < this.limits.mostOfOne
  }

  private begin(name: string, owner: Owner): () => void {
    this.used += 1
    owner.used += 1
    if (this.owners.size > 1) {
      // The others come first next time.
      this.owners.delete(name)
      this.owners.set(name, owner)
    }
    return () => {
      this.used -= 1
      owner.used -= 1
      this.forgetIfIdle(name, owner)
      this.letIn()
    }
  }

  private wait(
    name: string,
    owner: Owner,
    { waitMs, cancellation }: Patience,
  ): Promise<() => void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.deadlines.drop(deadline)
        cancellation?.forget(abandon)
        if (owner.waiting.delete(waiter)) this.queued -= 1
        this.forgetIfIdle(name, owner)
      }
      const abandon = () => {
        leave()
        reject(nobodyWaits())
      }
      const waiter = {
        begin: () => {
          leave()
          resolve(this.begin(name, owner))
        },
      }
      const deadline = this.deadlines.add(waitMs, () => {
        leave()
        reject(new Overloaded('no permit was free in time'))
      })
      cancellation?.listen(abandon)
      owner.waiting.add(waiter)
      this.queued += 1
    })
  }

  private letIn(): void {
    if (this.queued === 0) return
    for (const owner of this.owners.values()) {
      const [first] = owner.waiting
      if (first === undefined || !this.hasRoomFor(owner)) continue
      first.begin()
      return
    }
  }

  private forgetIfIdle(name: string, owner: Owner): void {
    if (owner.used === 0 && owner.waiting.size === 0 && this.owners.get(name) === owner) {
      this.owners.delete(name)
    }
  }
}
