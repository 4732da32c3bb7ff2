/** The duration of one slice of work, in milliseconds. Other work runs between slices. */
export const defaultSliceMs = 10

/** A limited time for a part of long work. At least one piece of work is done per slice. */
export class Slice {
  pieces = 0
  private readonly endsAt: number

  constructor(milliseconds: number) {
    this.endsAt = performance.now() + milliseconds
  }

  get isOver(): boolean {
    return performance.now() >= this.endsAt
  }

  /** Counts a piece of work. Call it after each piece. Returns true when the slice has ended. */
  endsHere(): boolean {
    this.pieces += 1
    return this.isOver
  }
}

/** The minimum estimate of the time per piece, in milliseconds. Shorter times cannot be measured. */
const minEachMs = 0.01

export const wholeWork = new Slice(Infinity)

/** Estimates how many pieces of work fit into a duration, from the latest measurements. */
export class Pace {
  private eachMs: number

  constructor(eachMs: number) {
    this.eachMs = eachMs
  }

  /** Returns the number of pieces that fit into the duration, at least one. */
  piecesIn(milliseconds: number): number {
    return Math.max(1, Math.floor(milliseconds / this.eachMs))
  }

  /**
   * Adds a measurement. A measurement that is slower than the estimate changes the estimate at once. A faster
   * measurement changes the estimate gradually.
   */
  took(pieces: number, milliseconds: number): void {
    if (pieces === 0) return
    const eachMs = milliseconds / pieces
    this.eachMs = Math.max(minEachMs, eachMs, (this.eachMs + eachMs) / 2)
  }
}
