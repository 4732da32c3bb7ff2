import type { Report } from './run-client.js'
import { tallyTable } from './tally-table.js'

/** Where a program prints. */
export interface Output {
  readonly result: (text: string) => void
  readonly remark: (line: string) => void
}

export const standardOutput: Output = {
  result: (text) => process.stdout.write(text),
  remark: (line) => process.stderr.write(`${line}\n`),
}

/**
 * Prints the account and yields the exit code: 0 when every line was stored or had no customer, 2
 * when the service refused some, 1 when the account is wrong.
 */
export function printReport({ tally, seconds }: Omit<Report, 'position'>, output: Output): number {
  output.result(tallyTable(tally, seconds))
  const fault = tally.fault()
  if (fault !== undefined) {
    output.remark(fault)
    return 1
  }
  return tally.orders.allRefused > 0 ? 2 : 0
}
