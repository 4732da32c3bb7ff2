import { addDigest, digestIn, digestText, firstBits } from './hashes.js'

/** Which flips, without their order: two with the same ones have the same digest. */
export class FlipTally {
  constructor(
    public flips = 0,
    private digest = 0n,
  ) {}

  /** `text`: of the flip (`textOf`). */
  add(text: string): void {
    this.flips += 1
    this.digest = addDigest(this.digest, firstBits(text))
  }

  equals(other: FlipTally): boolean {
    return this.flips === other.flips && this.digest === other.digest
  }

  get text(): string {
    return `${String(this.flips)} ${digestText(this.digest)}`
  }

  /** From what `text` says. */
  static of(text: string): FlipTally {
    const [flips = '0', digest = '0'] = text.split(' ')
    return new FlipTally(Number(flips), digestIn(digest))
  }
}
