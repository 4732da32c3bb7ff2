/** How long work goes on before other work runs, in milliseconds. */
export const defaultSliceMs = 10

/** A slice of work that is long as a whole: pieces are done until it is over, one of them at least. */
export class Slice {
  pieces = 0
  private readonly endsAt: number

  constructor(milliseconds: number) {
    this.endsAt = performance.now() + milliseconds
  }

  get isOver(): boolean {
    return performance.now() >= this.endsAt
  }

  /** To be called after each piece; true: it was the last one. */
  endsHere(): boolean {
    this.pieces += 1
    return this.isOver
  }
}

/** The shortest time that a piece counts, in milliseconds: clocks and the garbage collector are coarse. */
const minEachMs = 0.01

export const wholeWork = new Slice(Infinity)

/** How many pieces of work fit into some milliseconds, as the last ones show. */
export class Pace {
  private eachMs: number

  constructor(eachMs: number) {
    this.eachMs = eachMs
  }

  /** At least one. */
  piecesIn(milliseconds: number): number {
    return Math.max(1, Math.floor(milliseconds / this.eachMs))
  }

  /** Longer ones count at once, shorter ones by and by. */
  took(pieces: number, milliseconds: number): void {
    if (pieces === 0) return
    const eachMs = milliseconds / pieces
    this.eachMs = Math.max(minEachMs, eachMs, (this.eachMs + eachMs) / 2)
  }
}
