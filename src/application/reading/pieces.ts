import { setImmediate as immediate, setTimeout as pause } from 'node:timers/promises'
import type { Pause } from '../background-loop.js'
import type { InPieces } from '../../domain/in-pieces.js'
import { nobodyWaits, type Cancellation } from '../ports/cancellation.js'

/** The duration of one piece of work, in milliseconds. Other work runs after each piece. */
const defaultPieceMs = 5

interface PieceOptions {
  readonly cancellation?: Cancellation | undefined
  /** The duration of one piece, in milliseconds. */
  readonly pieceMs?: number | undefined
  /**
   * Whether the work pauses after each piece, for as long as the piece took. The pauses are longer
   * while other threads of the process are busy (`ThrottlePauses`).
   */
  readonly isThrottled?: boolean
}

/** The factor by which a pause grows when the other threads use one processor or more. */
const factorBesideWork = 4

/** Computes the pauses between pieces. A pause grows with the CPU time that the other threads of the process use. */
class ThrottlePauses {
  private cpu = process.cpuUsage()
  private at = performance.now()

  /** Returns the pause after a piece that took `tookMs`, in milliseconds. */
  after(tookMs: number): number {
    const { user, system } = process.cpuUsage(this.cpu)
    const now = performance.now()
    const others = (user + system) / 1_000 - tookMs
    const share = Math.min(1, Math.max(0, others / (now - this.at)))
    this.cpu = process.cpuUsage()
    this.at = now
    return tookMs * (1 + share * (factorBesideWork - 1))
  }
}

function betweenPieces(isThrottled: boolean): (tookMs: number) => Promise<unknown> {
  if (!isThrottled) return () => immediate()
  const pauses = new ThrottlePauses()
  return (tookMs) => pause(pauses.after(tookMs))
}

/**
 * Runs work in pieces, and lets other work run between them. Rejects with `overloaded` soon after a
 * cancellation.
 */
export async function runInPieces<T>(
  work: InPieces<T>,
  { cancellation, pieceMs = defaultPieceMs, isThrottled = false }: PieceOptions = {},
): Promise<T> {
  const between = betweenPieces(isThrottled)
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
 * Calls `work` until it returns true, and lets other work run between the calls. Returns false when
 * the signal was aborted.
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
