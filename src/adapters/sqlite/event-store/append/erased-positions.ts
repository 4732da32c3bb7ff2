import { prepareRows, type Database, type Statement } from '../../file/driver.js'
import type { ErasedStreamRow, ErasedStreams } from '../../file/erased-streams.js'
import { numbersIn } from '../../file/row.js'

/** Positions that are looked at between two looks at the clock. */
const positionsAtOnce = 2_000

/** A pass over the log for some streams. */
interface Pass {
  /** Positions that were found so far, by stream. */
  readonly found: ReadonlyMap<number, number[]>
  /** Those streams, as a JSON array. */
  readonly streams: string
  reached: number
  readonly end: number
}

/** Positions of one stream, in order. */
interface Places {
  readonly positions: readonly number[]
  /** Those before are removed. */
  next: number
}

/**
 * Where the facts of closed streams are that are still to be removed. There is no index of facts by stream, so
 * one pass over the log finds those of all that were closed when it began. What it found is in memory alone:
 * after a start there is another pass.
 */
export class ErasedPositions {
  private readonly select: Statement
  private readonly places = new Map<number, Places>()
  private pass: Pass | undefined

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
   * The next positions of a stream, at most as many as are wanted; none: all are removed. Undefined: they are
   * not known yet, and some more of the log was looked at, until `endsAt`. Throws what SQLite says.
   */
  next(
    { streamId, removedTo }: ErasedStreamRow,
    most: number,
    endsAt: number,
  ): readonly number[] | undefined {
    const places = this.places.get(streamId)
    if (places === undefined) {
      this.look(endsAt)
      return undefined
    }
    const { positions } = places
    // A removal that was not committed is to be done again.
    if ((positions[places.next - 1] ?? 0) > removedTo) places.next = 0
    while ((positions[places.next] ?? Infinity) <= removedTo) places.next += 1
    return positions.slice(places.next, places.next + most)
  }

  /** All facts of the stream are removed. */
  forget(streamId: number): void {
    this.places.delete(streamId)
  }

  private look(endsAt: number): void {
    this.pass ??= this.begin()
    const { pass } = this
    do {
      const until = Math.min(pass.end, pass.reached + positionsAtOnce)
      for (const row of this.select.all(pass.reached, until, pass.streams)) {
        const [position = 0, streamId = 0] = numbersIn(row)
        pass.found.get(streamId)?.push(position)
      }
      pass.reached = until
    } while (pass.reached < pass.end && performance.now() < endsAt)
    if (pass.reached < pass.end) return
    for (const [streamId, positions] of pass.found)
      this.places.set(streamId, { positions, next: 0 })
    this.pass = undefined
  }

  private begin(): Pass {
    const open = this.erased
      .unfinished()
      .filter(({ streamId }) => this.places.get(streamId) === undefined)
    const streams = open.map(({ streamId }) => streamId)
    return {
      found: new Map(streams.map((streamId) => [streamId, []])),
      streams: JSON.stringify(streams),
      reached: Math.min(...open.map(({ removedTo }) => removedTo)),
      end: Math.max(...open.map(({ position }) => position)),
    }
  }
}
