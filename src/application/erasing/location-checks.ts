import { isOpenPlace, type Erasure } from '../../domain/erasure-receipts.js'

/** How often this process checks the waiting locations of one erasure. */
const checkEveryMs = 60_000

/** When this process last checked the locations of each open erasure. Instants are in milliseconds since 1970. */
export class LocationChecks {
  private readonly checkedAt = new Map<string, number>()

  checked(erasureId: string, now: number): void {
    this.checkedAt.set(erasureId, now)
  }

  /**
   * Whether to check the locations of an erasure now. A location that waits for a vacuum is checked once after
   * each start, because a vacuum runs only while no process has the files open.
   */
  isDue(erasure: Erasure, now: number): boolean {
    if (erasure.removed === undefined) return false
    const checkedAt = this.checkedAt.get(erasure.id)
    if (checkedAt === undefined) return true
    const { places } = erasure
    const waits = places.some((place) => place.state === 'waiting' && isOpenPlace(erasure, place))
    return (waits || places.length === 0) && now - checkedAt >= checkEveryMs
  }

  /** Forgets all erasures except the open ones. */
  keep(open: ReadonlySet<string>): void {
    for (const id of this.checkedAt.keys()) if (!open.has(id)) this.checkedAt.delete(id)
  }
}
