import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { isForPeople, runAgain } from './is-for-people.js'
import { OptionsWrong, ordersOfOneDay, readOptions } from './options.js'
import { ServiceDied, startOwnService, type OwnService } from './own-service.js'
import { printReport, standardOutput } from './print-report.js'
import { showProgress } from './progress.js'
import { runClient } from './run-client.js'

/** Kept between runs, so that the second one finds what the first one stored. */
const folder = 'data/demo'

const root = fileURLToPath(new URL('../../..', import.meta.url))

class Interrupted extends Error {
  override readonly name = 'Interrupted'
}

/** A service of its own, a file of orders sent to it, and the service stopped again. */
async function main(): Promise<number> {
  const file = fileIn(process.argv.slice(2), process.env)
  const stop = new AbortController()
  // npm passes on a signal that the terminal has sent already: all but the first change nothing.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => {
      stop.abort(new Interrupted('interrupted'))
    })
  }
  const service = await startOwnService(root, folder)
  standardOutput.remark(`The service listens on ${service.url.origin} and stores in ${folder}.`)
  let stopping = false
  void service.ended.then((how) => {
    if (!stopping) stop.abort(new ServiceDied(how))
  })
  try {
    return await sendTo(service, file, stop.signal)
  } finally {
    stopping = true
    await service.stop()
    if (!(stop.signal.reason instanceof ServiceDied))
      standardOutput.remark('The service has stopped.')
  }
}

async function sendTo(service: OwnService, file: string, stop: AbortSignal): Promise<number> {
  const args = ['--url', service.url.origin, '--key-file', service.keyFile, '--file', file]
  const options = readOptions(args, {})
  if (options === undefined) return 0
  const report = await runClient(options, {
    progressOf: (lines) => showProgress(process.stderr, lines),
    remark: standardOutput.remark,
    stop,
  })
  return printReport(report, standardOutput)
}

/** npm runs a script in the project's folder; a path is meant from where npm was called. */
function fileIn(args: readonly string[], env: NodeJS.ProcessEnv): string {
  try {
    const { file } = parseArgs({ args: [...args], options: { file: { type: 'string' } } }).values
    return file === undefined ? ordersOfOneDay : resolve(env['INIT_CWD'] ?? '.', file)
  } catch (error) {
    throw new OptionsWrong('Usage: npm run demo [-- --file FILE]', { cause: error })
  }
}

try {
  process.exitCode = await main()
} catch (error) {
  const known = isForPeople(error) || error instanceof ServiceDied || error instanceof Interrupted
  if (!known) throw error
  process.stderr.write(`${error.message}\n`)
  if (!(error instanceof OptionsWrong)) process.stderr.write(`${runAgain}\n`)
  process.exitCode = error instanceof Interrupted ? 130 : 1
}
