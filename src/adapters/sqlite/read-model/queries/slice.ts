/** The duration of a slice of work in milliseconds; other work runs after it. */
export const defaultSliceMs = 10

/** A time slice for long work. The work does at least one piece per slice. */
export class Slice {
  pieces = 0
  private readonly endsAt: number

  constructor(milliseconds: number) {
    this.endsAt = performance.now() + milliseconds
  }

  get isOver(): boolean {
    return performance.now() >= this.endsAt
  }

  /** Call after each piece. Returns true when the slice has ended. */
  endsHere(): boolean {
    this.pieces += 1
    return this.isOver
  }
}

/** The minimum time per piece, in milliseconds: clocks are coarse. */
const minEachMs = 0.01

export const wholeWork = new Slice(Infinity)

/** Estimates how many pieces of work fit into a duration, from the last measurements. */
export class Pace {
  private eachMs: number

  constructor(eachMs: number) {
    this.eachMs = eachMs
  }

  /** At least one. */
  piecesIn(milliseconds: number): number {
    return Math.max(1, Math.floor(milliseconds / this.eachMs))
  }

  /** Slower pieces change the estimate at once, faster pieces gradually. */
  took(pieces: number, milliseconds: number): void {
    if (pieces === 0) return
    const eachMs = milliseconds / pieces
    this.eachMs = Math.max(minEachMs, eachMs, (this.eachMs + eachMs) / 2)
  }
}
