import { setImmediate as immediate, setTimeout as pause } from 'node:timers/promises'
import type { Pause } from '../background-loop.js'
import type { InPieces } from '../../domain/in-pieces.js'
import { nobodyWaits, type Cancellation } from '../ports/cancellation.js'

/** How long a piece of work runs before other work gets the thread. */
const defaultPieceMs = 5

interface PieceOptions {
  readonly cancellation?: Cancellation | undefined
  /** How long a piece runs, in milliseconds. */
  readonly pieceMs?: number | undefined
  /** Pauses after each piece for as long as the piece took, and longer while other threads work (`Rests`). */
  readonly rests?: boolean
}

/** The factor by which a pause grows when the other threads of the process use one processor or more. */
const restBesideWork = 4

/** Computes the pause between pieces. The more CPU the other threads use, the longer the pause. */
class Rests {
  private cpu = process.cpuUsage()
  private at = performance.now()

  /** Returns the pause in milliseconds after a piece that took `tookMs`. */
  after(tookMs: number): number {
    const { user, system } = process.cpuUsage(this.cpu)
    const now = performance.now()
    const others = (user + system) / 1_000 - tookMs
    const share = Math.min(1, Math.max(0, others / (now - this.at)))
    this.cpu = process.cpuUsage()
    this.at = now
    return tookMs * (1 + share * (restBesideWork - 1))
  }
}

function betweenPieces(rests: boolean): (tookMs: number) => Promise<unknown> {
  if (!rests) return () => immediate()
  const resting = new Rests()
  return (tookMs) => pause(resting.after(tookMs))
}

/**
 * Runs work in pieces, with other work in between. Rejects with `overloaded` once nobody waits for the
 * result.
 */
export async function runInPieces<T>(
  work: InPieces<T>,
  { cancellation, pieceMs = defaultPieceMs, rests = false }: PieceOptions = {},
): Promise<T> {
  const between = betweenPieces(rests)
  for (;;) {
    const begun = performance.now()
    do {
      const step = work.next()
      if (step.done === true) return step.value
    } while (performance.now() < begun + pieceMs)
    await between(performance.now() - begun)
    if (cancellation?.isCancelled === true) throw nobodyWaits()
  }
}

/**
 * Calls `work` until it returns true, with other work in between. Returns false when the signal was aborted.
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
