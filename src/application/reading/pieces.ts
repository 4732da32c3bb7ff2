import { setImmediate as immediate } from 'node:timers/promises'
import type { Pause } from '../background-loop.js'
import type { InPieces } from '../../domain/in-pieces.js'
import { nobodyWaits, type Cancellation } from '../ports/cancellation.js'

/** How long a piece of work takes before other work runs, in milliseconds. */
const defaultPieceMs = 5

/**
 * Does work piece by piece, and lets other work run in between. Rejects with `overloaded` as soon as nobody
 * waits for the result any more.
 */
export async function runInPieces<T>(
  work: InPieces<T>,
  cancellation?: Cancellation,
  pieceMs = defaultPieceMs,
): Promise<T> {
  for (;;) {
    const until = performance.now() + pieceMs
    do {
      const step = work.next()
      if (step.done === true) return step.value
    } while (performance.now() < until)
    await immediate()
    if (cancellation?.isCancelled === true) throw nobodyWaits()
  }
}

/**
 * Does work a slice at a time; other work runs between two slices. `work` returns whether all is done.
 * False: it was broken off.
 */
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
