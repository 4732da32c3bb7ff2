import type { Outcome } from './outcome.js'

/** The number of writes of one kind, by outcome. */
export class Outcomes {
  created = 0
  updated = 0
  replayed = 0
  /** The number of refused writes by error code. */
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

/** The counts of one run. */
export class Tally {
  linesRead = 0
  withoutCustomer = 0
  /** The number of lines whose orders have an outcome. */
  linesDone = 0
  readonly customers = new Outcomes()
  readonly orders = new Outcomes()

  /**
   * Checks that every line that was read has one outcome. Returns undefined if so, otherwise a description of the
   * difference.
   */
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
