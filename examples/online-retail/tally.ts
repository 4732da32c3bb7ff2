import type { Outcome } from './outcome.js'

/** How many of one kind ended how. */
export class Outcomes {
  created = 0
  updated = 0
  replayed = 0
  /** By code. */
  readonly refused = new Map<string, number>()

  add(outcome: Outcome): void {
    switch (outcome.kind) {
      case 'created':
      case 'updated':
      case 'replayed':
        this[outcome.kind] += 1
        break
      case 'refused':
        this.refused.set(outcome.code, (this.refused.get(outcome.code) ?? 0) + 1)
        break
    }
  }

  get allRefused(): number {
    return [...this.refused.values()].reduce((sum, count) => sum + count, 0)
  }
}

/** The account of one run. */
export class Tally {
  linesRead = 0
  withoutCustomer = 0
  /** Lines of orders that ended in one way or another. */
  linesDone = 0
  readonly customers = new Outcomes()
  readonly orders = new Outcomes()

  /** Every line that was read must have gone one way; undefined when it did. */
  fault(): string | undefined {
    const { linesRead, withoutCustomer, linesDone } = this
    const accounted = linesDone + withoutCustomer
    if (accounted === linesRead) return undefined
    return (
      `the account is wrong: ${String(linesRead)} lines were read, but ${String(linesDone)} of orders + ` +
      `${String(withoutCustomer)} without a customer = ${String(accounted)}`
    )
  }
}
