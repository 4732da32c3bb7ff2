/** A pseudo-random number generator (mulberry32). Equal seeds give equal numbers. */
export class Random {
  private state: number

  constructor(seed: number) {
    this.state = seed >>> 0
  }

  /** Returns a number from 0 (inclusive) to 1 (exclusive). */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0
    let mixed = this.state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }

  /** Returns a whole number. Both bounds are included. */
  between(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from + 1))
  }
}

/** Derives a seed from a name. So a scenario behaves the same when it runs alone and among others. */
export function seedFor(seed: number, name: string): number {
  return Buffer.from(name).reduce((sum, byte) => Math.imul(sum ^ byte, 16_777_619), seed)
}
