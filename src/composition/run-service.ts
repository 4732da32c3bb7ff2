import { setFlagsFromString } from 'node:v8'
import closeWithGrace from 'close-with-grace'
import { pino, type Logger } from 'pino'
import { stackOf } from '../application/ports/log.js'
import { standardOutput, type LogOutput } from '../adapters/system/standard-output.js'
import { misspeltSettings } from './misspelt-settings.js'
import { startService, type Service } from './service.js'
import { readSettings, SettingsWrong, type Settings } from './settings.js'
import { versionOfPackage } from './version.js'

/**
 * Turns off an optimisation of V8 that cost a third of the CPU (ADR 13). Objects of requests that wait
 * for the disk sometimes survive a garbage collection of young objects. V8 then allocates further objects from the
 * same code directly as old. Dead old objects keep all their references alive until the next full collection.
 */
setFlagsFromString('--no-allocation-site-pretenuring')

/** The oldest major version of Node with security fixes. */
const oldestSupportedNode = 22

/**
 * Starts the service and prints startup errors. Stops the service on SIGTERM or SIGINT. A signal
 * during the start stops the service after it has started, because a process that exits while a
 * thread opens its file may crash. Calls `takesSignals` once this function handles signals.
 */
export async function runService(takesSignals: () => void): Promise<void> {
  try {
    await start(takesSignals)
  } catch (error) {
    for (const line of linesOf(error)) process.stderr.write(`dossier: ${line}\n`)
    // Exits explicitly, because objects that a failed start could not close would keep the process
    // alive.
    process.exit(1)
  }
}

async function start(takesSignals: () => void): Promise<void> {
  const settings = readSettings(process.env)
  const output = standardOutput()
  const log = pino({ name: 'dossier', level: settings.logLevel }, output)
  for (const { variable, setting } of misspeltSettings(process.env)) {
    log.warn({ variable, setting }, `${variable} is not a setting: did you mean ${setting}?`)
  }
  const version = versionOfPackage()
  const starting = startService(settings, log, version)
  stopOnSignal(starting, settings, log, output)
  takesSignals()
  const service = await starting
  log.info({ address: service.origin, store: service.store, version }, 'dossier is listening')
  if (Number.parseInt(process.versions.node, 10) < oldestSupportedNode) {
    log.warn({}, `Node ${process.version} is past its end of life: use Node 22.18, 24 or 26`)
  }
  if (service.firstSteps !== undefined) process.stdout.write(`${service.firstSteps}\n`)
}

function stopOnSignal(
  starting: Promise<Service>,
  settings: Settings,
  log: Logger,
  output: LogOutput,
): void {
  let started: Service | undefined
  let isLost = false
  const unanswered = () => started?.unanswered() ?? 0
  const { shutdownDelayMs, shutdownTimeoutMs } = settings
  const options: closeWithGrace.Options = {
    delay: shutdownDelayMs + shutdownTimeoutMs,
    logger: log,
    skip: ['SIGQUIT', 'SIGILL', 'SIGTRAP', 'SIGABRT', 'SIGBUS', 'SIGFPE', 'SIGSEGV', 'SIGUSR2'],
    onTimeout: () => {
      log.error({ unanswered: unanswered() }, 'the stop timed out: these requests were cut off')
    },
    onSecondSignal: (signal) => {
      log.error({ signal, unanswered: unanswered() }, 'a second signal: stopped at once')
    },
  }
  const closing = closeWithGrace(options, async ({ signal, err }) => {
    if (err !== undefined) log.error({ err }, 'an unexpected error: stopping')
    log.info({ signal }, 'stopping')
    await (await starting).stop()
    log.info({}, 'stopped')
    await output.flushed()
    if (isLost) process.exit(1)
  })
  const follow = async (service: Service) => {
    started = service
    await service.lost
    isLost = true
    closing.close()
  }
  // Ignores a failed start here, because the caller that awaits the start logs the failure and ends
  // the process.
  starting.then(follow, () => undefined)
}

/** Returns one line per fault. Returns the stack of an error whose message is not meant for users. */
function linesOf(error: unknown): readonly string[] {
  if (error instanceof SettingsWrong) return error.faults
  const isForPeople = error instanceof Error && 'code' in error
  return [isForPeople ? error.message : stackOf(error)]
}
