import { isOpenPlace, type Erasure } from '../../domain/erasure-receipts.js'

/** How often this process looks at the places of an erasure that wait, in milliseconds. */
const lookEveryMs = 60_000

/** When this process looked at the places of open erasures: instants in milliseconds since 1970. */
export class PlaceLooks {
  private readonly lookedAt = new Map<string, number>()

  looked(erasureId: string, now: number): void {
    this.lookedAt.set(erasureId, now)
  }

  /**
   * Whether to look at the places of an erasure now. A vacuum ends `until_vacuum`, and needs the files while no
   * process has them open: so one look after each start is enough.
   */
  isDue(erasure: Erasure, now: number): boolean {
    if (erasure.removed === undefined) return false
    const lookedAt = this.lookedAt.get(erasure.id)
    if (lookedAt === undefined) return true
    const { places } = erasure
    const waits = places.some((place) => place.state === 'waiting' && isOpenPlace(erasure, place))
    return (waits || places.length === 0) && now - lookedAt >= lookEveryMs
  }

  /** Forgets erasures that are not open any more. */
  keep(open: ReadonlySet<string>): void {
    for (const id of this.lookedAt.keys()) if (!open.has(id)) this.lookedAt.delete(id)
  }
}
