import { addDigest, digestIn, digestText, firstBits } from './hashes.js'

/** Which changes, without their order: two with the same ones have the same digest. */
export class ChangeTally {
  constructor(
    public changes = 0,
    private digest = 0n,
  ) {}

  /** `text`: of the change (`textOf`). */
  add(text: string): void {
    this.changes += 1
    this.digest = addDigest(this.digest, firstBits(text))
  }

  equals(other: ChangeTally): boolean {
    return this.changes === other.changes && this.digest === other.digest
  }

  get text(): string {
    return `${String(this.changes)} ${digestText(this.digest)}`
  }

  /** From what `text` says. */
  static of(text: string): ChangeTally {
    const [changes = '0', digest = '0'] = text.split(' ')
    return new ChangeTally(Number(changes), digestIn(digest))
  }
}
