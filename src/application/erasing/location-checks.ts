import { isOpenPlace, type Erasure } from '../../domain/erasure-receipts.js'

/**
 * The interval at which this process checks the waiting locations of one erasure, in milliseconds.
 */
const checkEveryMs = 60_000

/** The time of this process's last check of each open erasure, in milliseconds since 1970. */
export class LocationChecks {
  private readonly checkedAt = new Map<string, number>()

  checked(erasureId: string, now: number): void {
    this.checkedAt.set(erasureId, now)
  }

  /**
   * Returns whether to check the locations of an erasure now. A location in the state
   * `until_vacuum` is checked once after each start, because a vacuum runs only while no process
   * has the files open.
   */
  isDue(erasure: Erasure, now: number): boolean {
    if (erasure.removed === undefined) return false
    const checkedAt = this.checkedAt.get(erasure.id)
    if (checkedAt === undefined) return true
    const { places } = erasure
    const waits = places.some((place) => place.state === 'waiting' && isOpenPlace(erasure, place))
    return (waits || places.length === 0) && now - checkedAt >= checkEveryMs
  }

  /** Forgets the checks of all erasures that are not in `open`. */
  keep(open: ReadonlySet<string>): void {
    for (const id of this.checkedAt.keys()) if (!open.has(id)) this.checkedAt.delete(id)
  }
}
