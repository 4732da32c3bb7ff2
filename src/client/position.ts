const pattern = /^[0-9]{1,20}$/

/** The highest Position that was seen: what gives reads that never go back. Decimal text. */
export class HighestPosition {
  private highest: string | undefined
  private forgotten = 0

  /** Throws a TypeError when it is no position. */
  constructor(value?: string) {
    if (value !== undefined && !pattern.test(value)) throw new TypeError(`no position: ${value}`)
    this.highest = value
  }

  /** Undefined when none was seen. */
  get value(): string | undefined {
    return this.highest
  }

  /** Grows whenever what was seen is forgotten. */
  get era(): number {
    return this.forgotten
  }

  /** `era`: when the request began. What began before the last `forget` is of the store before. */
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
