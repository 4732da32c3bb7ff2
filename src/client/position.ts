const pattern = /^[0-9]{1,20}$/

/**
 * The highest Position seen, as decimal text. Reads that send it never return an older state than
 * an earlier reply.
 */
export class HighestPosition {
  private highest: string | undefined
  private forgotten = 0

  /** Throws a TypeError for invalid text. */
  constructor(value?: string) {
    if (value !== undefined && !pattern.test(value)) throw new TypeError(`not a Position: ${value}`)
    this.highest = value
  }

  /** Undefined before the first Position. */
  get value(): string | undefined {
    return this.highest
  }

  /** The number of calls of `forget`. */
  get era(): number {
    return this.forgotten
  }

  /**
   * Records a Position. `era` is the value of the property `era` when the request was sent. Ignores
   * replies to requests that were sent before the last `forget`, because they belong to the former
   * store.
   */
  note(position: string | null, era: number): void {
    if (position === null || !pattern.test(position) || era !== this.era) return
    if (this.highest === undefined || BigInt(position) > BigInt(this.highest)) {
      this.highest = position
    }
  }

  forget(): void {
    this.highest = undefined
    this.forgotten += 1
  }
}
