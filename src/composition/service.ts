import { existsSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Container } from 'inversify'
import { makeFirstKey, type FirstKey } from '../adapters/api-keys/manage-keys.js'
import { firstSteps, ownContainer } from '../adapters/cli/first-steps.js'
import { assertPortFree, Lifecycle, listen } from '../adapters/http/connection/lifecycle.js'
import { readClient } from '../adapters/http/client/client-files.js'
import { readConsole } from '../adapters/http/console/console-files.js'
import { httpLimits } from '../adapters/http/http-limits.js'
import { builtDocument } from '../adapters/http/routes/document-text.js'
import { createServer } from '../adapters/http/server.js'
import type { HttpParts, TrackingOptions } from '../adapters/http/http-options.js'
import { reasonOf, type Log } from '../application/ports/log.js'
import { createContainer } from './container.js'
import { tokens } from './parts.js'
import { readModelPlaces, refuseForeignReadModel } from './read-model.js'
import type { Settings } from './settings.js'
import { storeKindOf } from './stores.js'

/** The folder of the console, which `npm run build` creates beside the program. */
const consoleFolder = fileURLToPath(new URL('../console', import.meta.url))
/** The program with the key commands, beside this folder. */
const program = fileURLToPath(new URL('../dossier.js', import.meta.url))
/** The folder of the client's package. */
const clientFolder = fileURLToPath(new URL('../client-package', import.meta.url))
/** The folder of the OpenAPI documents, which `npm run build` creates beside the program. */
const documentFolder = fileURLToPath(new URL('../open-api', import.meta.url))

export interface Service {
  /** The bound address, such as `http://127.0.0.1:3000`. */
  readonly origin: string
  /** The URL of the store, without secrets. */
  readonly store: string
  readonly firstSteps: string | undefined
  /** Resolves when this process can never append to the store again. The process must then be restarted. */
  readonly lost: Promise<void>
  unanswered(): number
  /** Stops gracefully: refuses new requests, answers those in flight, flushes and closes the store. */
  stop(): Promise<void>
}

/**
 * Starts the service. After a failure, closes everything and throws `StoreNotOpened`, `KeysFileUnusable`, or a
 * network error.
 */
export async function startService(
  settings: Settings,
  log: Log,
  version: string,
): Promise<Service> {
  const lifecycle = new Lifecycle()
  let reportLost: () => void = () => undefined
  const lost = new Promise<void>((resolve) => {
    reportLost = resolve
  })
  const onStoreLost = (reason: string) => {
    lifecycle.storeLost = reason
    reportLost()
  }
  // Runs these checks before the first file is created, so that a failed first start leaves no file.
  if (!hasOwnFiles(settings)) refuseForeignReadModel(settings)
  if (!hasStartedBefore(settings)) await assertPortFree(settings)
  const container = createContainer({ settings, log, version, onStoreLost })
  let firstKey: FirstKey | undefined
  try {
    await container.getAsync(tokens.descriptorWatch)
    await container.getAsync(tokens.store)
    await container.getAsync(tokens.clockGuard)
    await container.getAsync(tokens.readModel)
    await container.getAsync(tokens.logTimeWatch)
    await container.getAsync(tokens.segmentPublisher)
    await container.getAsync(tokens.webhooks)
    // Creates the first key before the keys are read and before a request can arrive.
    firstKey = settings.apiKey === undefined ? makeFirstKey(settings.apiKeysFile) : undefined
    await container.getAsync(tokens.erasureWorker)
    return { ...(await serve(container, firstKey, lifecycle)), lost }
  } catch (error) {
    const closed = new AbortController()
    await Promise.race([
      closeAfterFailure(container, error, log),
      pause(settings.shutdownTimeoutMs, undefined, { signal: closed.signal }),
    ])
    // Aborts the timers, because a running timer would keep the process alive.
    closed.abort()
    // Removes the first key only after the key ring has closed. An open key ring would report the keys file as missing.
    firstKey?.discard()
    throw error
  }
}

/** Returns whether a service with these settings has started before: one of its files exists. Throws `SettingsWrong`. */
function hasStartedBefore(settings: Settings): boolean {
  const { readModel } = readModelPlaces(settings)
  return hasOwnFiles(settings) || (readModel !== undefined && existsSync(readModel))
}

/**
 * Returns whether a file exists that only this service writes. Ignores `READ_MODEL`, which may name another program's
 * file.
 */
function hasOwnFiles(settings: Settings): boolean {
  const { factsFile } = readModelPlaces(settings)
  const files = [factsFile, settings.apiKeysFile, settings.eraseLedger]
  return files.some((path) => path !== undefined && existsSync(path))
}

/**
 * Closes all objects in order: the objects that use the read model or publish to the store, then
 * the read model, then the store.
 */
async function close(container: Container): Promise<void> {
  await container.unbindAsync(tokens.previewer)
  await container.unbindAsync(tokens.webhooks)
  await container.unbindAsync(tokens.erasureWorker)
  await container.unbindAsync(tokens.segmentPublisher)
  await container.unbindAsync(tokens.readModel)
  await container.unbindAllAsync()
}

/**
 * Closes all objects after a failed start. Logs further errors, so that the caller sees the
 * original failure.
 */
async function closeAfterFailure(container: Container, failure: unknown, log: Log): Promise<void> {
  try {
    await close(container)
  } catch (error) {
    // Ignores the original failure: a store that did not open throws it again, and has nothing to
    // close.
    if (error === failure) return
    const reason = reasonOf(error)
    log.error({ reason }, 'after a failed start, not everything could be closed')
  }
}

async function serve(
  container: Container,
  firstKey: FirstKey | undefined,
  lifecycle: Lifecycle,
): Promise<Omit<Service, 'lost'>> {
  const [settings, log, version, metrics, clock, heapBytes, keyRing, rateLimit, worker, useCases] =
    await Promise.all([
      container.getAsync(tokens.settings),
      container.getAsync(tokens.log),
      container.getAsync(tokens.version),
      container.getAsync(tokens.metrics),
      container.getAsync(tokens.clock),
      container.getAsync(tokens.heapBytes),
      container.getAsync(tokens.keyRing),
      container.getAsync(tokens.rateLimit),
      container.getAsync(tokens.erasureWorker),
      container.getAsync(tokens.useCases),
    ])
  const { bodyLimit, logRequests, storeUrl } = settings
  const storeKind = storeKindOf(storeUrl)
  const server = createServer(
    {
      useCases,
      keyRing,
      clock,
      log,
      lifecycle,
      metrics,
      observer: metrics.requests,
      trackingObserver: metrics.tracking,
      rateLimit,
      hasLedgerCaughtUp: () => worker?.isReady ?? true,
      ...builtFiles(settings, useCases.reading !== undefined),
    },
    {
      bodyLimit,
      logRequests,
      version,
      storeKind: storeKind?.name ?? '',
      requestsASecond: settings.rateLimit,
      searchProperties: settings.searchProperties,
      tracking: trackingOf(settings),
      ...httpLimits({ ...settings, heapBytes }),
    },
  )
  const origin = await listen(server, settings)
  return {
    origin,
    store: storeKind?.shown(storeUrl) ?? '',
    firstSteps: firstKey && stepsAfter(firstKey, origin, settings),
    unanswered: () => lifecycle.unanswered,
    stop: async () => {
      lifecycle.state = 'draining'
      await pause(settings.shutdownDelayMs)
      await lifecycle.close(server)
      await close(container)
    },
  }
}

/** Reads the files that `npm run build` wrote beside the program. */
function builtFiles(
  settings: Settings,
  hasReads: boolean,
): Pick<HttpParts, 'console' | 'client' | 'document'> {
  return {
    console: settings.console ? readConsole(consoleFolder) : undefined,
    client: settings.client ? readClient(clientFolder) : undefined,
    document: builtDocument(documentFolder, hasReads),
  }
}

function stepsAfter({ path }: FirstKey, origin: string, settings: Settings): string {
  const container = settings.dossierImage ? ownContainer() : undefined
  return firstSteps(origin, path, { program, container, console: settings.console })
}

function trackingOf(settings: Settings): TrackingOptions {
  return {
    origins: settings.trackOrigins,
    context: settings.trackContext,
    isLenient: settings.trackLenient,
    publicUrl: settings.publicUrl,
  }
}
