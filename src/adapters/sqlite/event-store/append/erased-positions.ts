import { prepareRows, type Database, type Statement } from '../../file/driver.js'
import type { ErasedStreamRow, ErasedStreams } from '../../file/erased-streams.js'
import { numbersIn } from '../../file/row.js'

/** The number of positions that a scan reads before it checks the clock again. */
const positionsAtOnce = 2_000

/** One scan of the fact log for the facts of soft-deleted streams. */
interface Scan {
  /** The positions found so far, by stream id. */
  readonly found: ReadonlyMap<number, number[]>
  /** The stream ids, as a JSON array. */
  readonly streams: string
  reached: number
  readonly end: number
}

/** The positions of the facts of one stream, in ascending order. */
interface FoundPositions {
  readonly positions: readonly number[]
  /** The index of the first position whose fact is not removed yet. */
  next: number
}

/**
 * Finds the positions of the facts that an erasure still has to remove. There is no index of facts by stream,
 * so one scan of the fact log serves all erased streams that are unfinished when the scan begins. The results
 * stay in memory, so the scan is repeated after a restart. A read model could not provide these positions,
 * because it skips facts of unknown types.
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
   * Returns at most `most` of the next positions of a stream. Returns an empty list when all facts of the stream
   * are removed. While the positions are unknown, scans a part of the fact log until the clock reaches `endsAt`,
   * and returns undefined. Throws SQLite errors.
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
    // Starts again at the first position if the transaction of the previous removal failed.
    if ((positions[found.next - 1] ?? 0) > removedTo) found.next = 0
    while ((positions[found.next] ?? Infinity) <= removedTo) found.next += 1
    return positions.slice(found.next, found.next + most)
  }

  /** Removes the positions of a stream from memory. Call it when all facts of the stream are removed. */
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
