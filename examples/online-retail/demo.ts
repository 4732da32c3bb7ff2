import { once } from 'node:events'
import { join, resolve } from 'node:path'
import { isForPeople, runAgain } from './is-for-people.js'
import { readOptions } from './options.js'
import { assertOrderFile } from './order-file.js'
import { ServiceDied, startOwnService, type OwnService } from './own-service.js'
import { printReport, standardOutput } from './print-report.js'
import { showProgress } from './progress.js'
import { runClient } from './run-client.js'
import { showCustomer } from './show-customer.js'
import { showSegments } from './show-segments.js'

/**
 * The data folder, relative to the project. It stays between runs, so that the second run finds the data of the
 * first.
 */
const defaultFolder = 'data/demo'

class Interrupted extends Error {
  override readonly name = 'Interrupted'
}

interface DemoOptions {
  /** The CSV file of orders. */
  readonly file: string
  /** The data folder of the service. */
  readonly folder: string | undefined
  /** The folder of the programs `main.js` and `dossier.js`. */
  readonly programs: string
}

/** Runs the demo as a program: prints errors that are meant for people, and returns the exit code. */
export async function runDemo(options: DemoOptions): Promise<number> {
  const file = fromCallersFolder(options.file)
  try {
    // Before the service starts, so that a wrong file leaves no data behind.
    await assertOrderFile(file)
  } catch (error) {
    if (!isForPeople(error)) throw error
    process.stderr.write(`${error.message}\n`)
    return 1
  }
  try {
    return await serveDemo({ ...options, file })
  } catch (error) {
    const known = isForPeople(error) || error instanceof ServiceDied || error instanceof Interrupted
    if (!known) throw error
    process.stderr.write(`${error.message}\n${runAgain}\n`)
    return error instanceof Interrupted ? 130 : 1
  }
}

/** Starts a separate service, sends a file of orders to it, and serves until it is interrupted. */
async function serveDemo(options: DemoOptions): Promise<number> {
  const { file } = options
  const folder = options.folder === undefined ? defaultFolder : fromCallersFolder(options.folder)
  const stop = new AbortController()
  // npm repeats a signal that the terminal has already sent. Only the first signal has an effect.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => {
      stop.abort(new Interrupted('interrupted'))
    })
  }
  const service = await startOwnService(options.programs, folder)
  standardOutput.remark(`The service listens on ${service.url.origin} and stores in ${folder}.`)
  let stopping = false
  void service.ended.then((how) => {
    if (!stopping) stop.abort(new ServiceDied(how))
  })
  try {
    const exitCode = await sendTo(service, file, folder, stop.signal)
    showConsole(service.url, await service.readKey())
    await interrupted(stop.signal)
    return exitCode
  } finally {
    stopping = true
    await service.stop()
    if (!(stop.signal.reason instanceof ServiceDied)) {
      standardOutput.remark('The service has stopped. To ask it yourself, start it again:\n')
      standardOutput.remark(service.startAgain)
    }
  }
}

/** Prints the addresses at which the loaded data can be viewed. */
function showConsole({ origin }: URL, key: string): void {
  const { result } = standardOutput
  result(
    `\nThe service goes on until you press Ctrl-C. Look at it in a browser: ${origin}/console\n`,
  )
  result(`It asks for a key. One that can read alone: ${key}\n`)
}

/** Resolves when the user ends the demo. Throws when the service ends by itself. */
async function interrupted(stop: AbortSignal): Promise<void> {
  if (!stop.aborted) await once(stop, 'abort')
  if (!(stop.reason instanceof Interrupted)) throw stop.reason
}

/** Sends the file, defines segments, and shows the first customer of the file. */
async function sendTo(
  service: OwnService,
  file: string,
  folder: string,
  stop: AbortSignal,
): Promise<number> {
  const args = [
    '--url',
    service.url.origin,
    '--key-file',
    service.keyFile,
    '--file',
    file,
    '--until-yesterday',
    '--older-customers',
  ]
  const options = readOptions(args, {})
  if (options === undefined) return 0
  const report = await runClient(options, {
    progressOf: (lines) => showProgress(process.stderr, lines),
    remark: standardOutput.remark,
    stop,
  })
  const exitCode = printReport(report, standardOutput)
  if (report.position !== undefined) {
    const { position } = report
    const keyFile = join(folder, 'first-key')
    const source = { origin: service.url.origin, key: options.key, keyFile, position }
    await showSegments(source, standardOutput.result, stop)
    await showCustomer(source, standardOutput.result, stop)
  }
  return exitCode
}

/** Resolves a path from the folder in which npm was called. npm runs scripts in the project's folder. */
function fromCallersFolder(path: string): string {
  return resolve(process.env['INIT_CWD'] ?? '.', path)
}
