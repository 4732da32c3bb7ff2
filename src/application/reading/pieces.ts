import { setImmediate as immediate, setTimeout as pause } from 'node:timers/promises'
import type { Pause } from '../background-loop.js'
import type { InPieces } from '../../domain/in-pieces.js'
import { nobodyWaits, type Cancellation } from '../ports/cancellation.js'

/** How long a piece of work takes before other work runs, in milliseconds. */
const defaultPieceMs = 5

interface PieceOptions {
  readonly cancellation?: Cancellation | undefined
  /** How long a piece takes, in milliseconds. */
  readonly pieceMs?: number | undefined
  /** Between two pieces it does nothing for as long as a piece took. */
  readonly rests?: boolean
}

/** Other work runs in between. Rejects with `overloaded` as soon as nobody waits for the result. */
export async function runInPieces<T>(
  work: InPieces<T>,
  { cancellation, pieceMs = defaultPieceMs, rests = false }: PieceOptions = {},
): Promise<T> {
  for (;;) {
    const begun = performance.now()
    do {
      const step = work.next()
      if (step.done === true) return step.value
    } while (performance.now() < begun + pieceMs)
    await (rests ? pause(performance.now() - begun) : immediate())
    if (cancellation?.isCancelled === true) throw nobodyWaits()
  }
}

/** Other work runs between two slices; `work` returns whether all is done. False: broken off. */
export async function inSlices(
  work: () => boolean,
  pause: Pause,
  signal: AbortSignal,
): Promise<boolean> {
  while (!work()) {
    await pause(0, signal)
    if (signal.aborted) return false
  }
  return !signal.aborted
}
