import { isForPeople, runAgain } from './is-for-people.js'
import { OptionsWrong, readOptions, usage } from './options.js'
import { printReport, standardOutput } from './print-report.js'
import { showProgress } from './progress.js'
import { runClient } from './run-client.js'

/** Runs the program and returns its exit code. */
async function main(): Promise<number> {
  const options = readOptions(process.argv.slice(2), process.env)
  if (options === undefined) {
    process.stdout.write(usage)
    return 0
  }
  const report = await runClient(options, {
    progressOf: (lines) => showProgress(process.stderr, lines),
    remark: standardOutput.remark,
  })
  return printReport(report, standardOutput)
}

try {
  process.exitCode = await main()
} catch (error) {
  if (!isForPeople(error)) throw error
  process.stderr.write(`${error.message}\n`)
  if (!(error instanceof OptionsWrong)) process.stderr.write(`${runAgain}\n`)
  process.exitCode = 1
}
