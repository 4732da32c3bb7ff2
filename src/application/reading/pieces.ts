import { setImmediate as immediate, setTimeout as pause } from 'node:timers/promises'
import type { Pause } from '../background-loop.js'
import type { InPieces } from '../../domain/in-pieces.js'
import { nobodyWaits, type Cancellation } from '../ports/cancellation.js'

/** How long a piece of work takes before other work runs, in milliseconds. */
const defaultPieceMs = 5

export interface PieceOptions {
  readonly cancellation?: Cancellation | undefined
  /** How long a piece takes, in milliseconds. */
  readonly pieceMs?: number | undefined
  /** Between two pieces it does nothing for as long as a piece took, and longer beside other work: see `Rests`. */
  readonly rests?: boolean
}

/** How much longer a rest is where all other threads of the process together use one processor or more. */
const restBesideWork = 4

/** How long a thread rests between pieces: the less of the machine it takes, the more others use. */
class Rests {
  private cpu = process.cpuUsage()
  private at = performance.now()

  /** In milliseconds, after a piece that took as long. */
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
 * Does work piece by piece, and lets other work run in between. Rejects with `overloaded` as soon as nobody
 * waits for the result any more.
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
