import type { Report } from './run-client.js'
import { tallyTable } from './tally-table.js'

/** The output of a program. */
export interface Output {
  readonly result: (text: string) => void
  readonly remark: (line: string) => void
}

export const standardOutput: Output = {
  result: (text) => process.stdout.write(text),
  remark: (line) => process.stderr.write(`${line}\n`),
}

/**
 * Prints the counts and returns the exit code. 0: every line was stored or had no customer. 2: the service refused
 * some lines. 1: the counts do not add up.
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
