import { prepareRows, type Database, type Statement } from '../../file/driver.js'
import type { ErasedStreamRow, ErasedStreams } from '../../file/erased-streams.js'
import { numbersIn } from '../../file/row.js'

/** How many positions a scan reads before it checks the clock again. */
const positionsAtOnce = 2_000

/** One scan of the fact log for the facts of some streams. */
interface Scan {
  /** The positions found so far, by stream. */
  readonly found: ReadonlyMap<number, number[]>
  /** The stream ids, as a JSON array. */
  readonly streams: string
  reached: number
  readonly end: number
}

/** The positions of one stream, in order. */
interface FoundPositions {
  readonly positions: readonly number[]
  /** Index of the first position that is not removed yet. */
  next: number
}

/**
 * Finds the facts of closed streams that are still to be removed. There is no index of facts by stream, so one
 * scan of the fact log serves all streams that are closed when it begins. The results stay in memory, so a
 * restart scans again. A read model could not provide these positions: it skips facts of unknown types.
 */
export class ErasedPositions {
  private readonly select: Statement
  private readonly found = new Map<number, FoundPositions>()
  private scan: Scan | undefined

  constructor(
    db: Database,
    private readonly erased: ErasedStreams,
  ) {
    this.select = prepareRows(
      db,
      `SELECT position, stream_id FROM facts
       WHERE position > ? AND position <= ? AND stream_id IN (SELECT value FROM json_each(?))
       ORDER BY position`,
    )
  }

  /**
   * Returns the next positions of a stream, at most `most`; an empty list when all are removed. Returns
   * undefined while the positions are unknown, after scanning part of the fact log until `endsAt`. Throws
   * SQLite errors.
   */
  next(
    { streamId, removedTo }: ErasedStreamRow,
    most: number,
    endsAt: number,
  ): readonly number[] | undefined {
    const found = this.found.get(streamId)
    if (found === undefined) {
      this.continueScan(endsAt)
      return undefined
    }
    const { positions } = found
    // A removal that was not committed is repeated.
    if ((positions[found.next - 1] ?? 0) > removedTo) found.next = 0
    while ((positions[found.next] ?? Infinity) <= removedTo) found.next += 1
    return positions.slice(found.next, found.next + most)
  }

  /** Forgets the positions of a stream whose facts are all removed. */
  forget(streamId: number): void {
    this.found.delete(streamId)
  }

  private continueScan(endsAt: number): void {
    this.scan ??= this.begin()
    const { scan } = this
    do {
      const until = Math.min(scan.end, scan.reached + positionsAtOnce)
      for (const row of this.select.all(scan.reached, until, scan.streams)) {
        const [position = 0, streamId = 0] = numbersIn(row)
        scan.found.get(streamId)?.push(position)
      }
      scan.reached = until
    } while (scan.reached < scan.end && performance.now() < endsAt)
    if (scan.reached < scan.end) return
    for (const [streamId, positions] of scan.found) this.found.set(streamId, { positions, next: 0 })
    this.scan = undefined
  }

  private begin(): Scan {
    const open = this.erased
      .unfinished()
      .filter(({ streamId }) => this.found.get(streamId) === undefined)
    const streams = open.map(({ streamId }) => streamId)
    return {
      found: new Map(streams.map((streamId) => [streamId, []])),
      streams: JSON.stringify(streams),
      reached: Math.min(...open.map(({ removedTo }) => removedTo)),
      end: Math.max(...open.map(({ position }) => position)),
    }
  }
}
