import { setTimeout as pause } from 'node:timers/promises'
import type { AddressInfo } from 'node:net'
import { getHeapStatistics } from 'node:v8'
import type { Container } from 'inversify'
import { makeFirstKey, type FirstKey } from '../adapters/api-keys/first-key.js'
import { Lifecycle } from '../adapters/http/connection/lifecycle.js'
import { createServer, defaultTimeouts, type Timeouts } from '../adapters/http/server.js'
import type { RateLimit } from '../adapters/http/ports/rate-limit.js'
import type { Log } from '../application/ports/log.js'
import { createContainer } from './container.js'
import { firstSteps, ownContainer } from './first-steps.js'
import type { Settings } from './settings.js'
import { storeKindOf } from './stores.js'
import { tokens } from './tokens.js'

/** A service that listens. */
export interface Service {
  /** Where it can be reached, `http://127.0.0.1:3000`. */
  readonly origin: string
  /** Where facts are kept, without secrets. */
  readonly store: string
  /** What to try, when this start made the first key. */
  readonly firstSteps: string | undefined
  /** Resolves when the store can never take an append again: the process is to be started anew. */
  readonly lost: Promise<void>
  /** Requests that have no reply yet. */
  unanswered(): number
  /** Stops gracefully: refuses new requests, answers those in flight, flushes and closes the store. */
  stop(): Promise<void>
}

/**
 * Throws `StoreNotOpened` or `KeysFileUnusable`, and what listening throws, when everything is closed
 * or has taken longer to close than a stop may.
 */
export async function startService(
  settings: Settings,
  log: Log,
  version: string,
): Promise<Service> {
  let tellLost: () => void = () => undefined
  const lost = new Promise<void>((resolve) => {
    tellLost = resolve
  })
  const container = createContainer(settings, log, version, tellLost)
  try {
    await container.getAsync(tokens.openStore)
    await container.getAsync(tokens.clockGuard)
    await container.getAsync(tokens.readModel)
    await container.getAsync(tokens.logTimeWatch)
    await container.getAsync(tokens.segmentKeeper)
    // Before the keys are read, and before anybody can ask.
    const firstKey = settings.apiKey === undefined ? makeFirstKey(settings.apiKeysFile) : undefined
    try {
      return { ...(await listen({ container, settings, log, version, firstKey })), lost }
    } catch (error) {
      firstKey?.discard()
      throw error
    }
  } catch (error) {
    const closed = new AbortController()
    await Promise.race([
      closeAfterFailure(container, error, log),
      pause(settings.shutdownTimeoutMs, undefined, { signal: closed.signal }),
    ])
    // The timer would keep the process alive that has nothing left to do.
    closed.abort()
    throw error
  }
}

/** The read model before the store that it follows, and what tells the store of it before both. */
async function close(container: Container): Promise<void> {
  await container.unbindAsync(tokens.segmentKeeper)
  await container.unbindAsync(tokens.readModel)
  await container.unbindAllAsync()
}

/** Told beside the failure that ends the start, and never in its place. */
async function closeAfterFailure(container: Container, failure: unknown, log: Log): Promise<void> {
  try {
    await close(container)
  } catch (error) {
    // A store that did not open has nothing to close, and says once more why.
    if (error === failure) return
    const reason = error instanceof Error ? error.message : String(error)
    log.error({ reason }, 'after a start that failed, not all could be closed')
  }
}

/**
 * Connections that wait to be taken in, as far as the system allows. One is taken in a turn of the
 * event loop; those beyond the queue would try again after seconds.
 */
const maxWaiting = 4_096

interface Start {
  readonly container: Container
  readonly settings: Settings
  readonly log: Log
  readonly version: string
  readonly firstKey: FirstKey | undefined
}

async function listen(start: Start): Promise<Omit<Service, 'lost'>> {
  const { container, settings, log, version, firstKey } = start
  const [recording, segments, reading, keyRing, clock, metrics] = await Promise.all([
    container.getAsync(tokens.recording),
    container.getAsync(tokens.segments),
    container.getAsync(tokens.reading),
    container.getAsync(tokens.keyRing),
    container.getAsync(tokens.clock),
    container.getAsync(tokens.metrics),
  ])
  const lifecycle = new Lifecycle()
  const { bodyLimit, logRequests, host, port } = settings
  const server = createServer(
    {
      useCases: { ...recording, ...segments, reading },
      keyRing,
      clock,
      log,
      lifecycle,
      metrics,
      observer: metrics.requests,
      rateLimit: await rateLimit(settings),
    },
    {
      bodyLimit,
      batchBytes: batchBytes(),
      batchWaitMs: settings.storeTimeoutMs,
      readWaitMs: settings.readWaitMs,
      logRequests,
      version,
      timeouts: timeouts(settings),
    },
  )
  await server.listen({ host, port, backlog: maxWaiting })
  const origin = originOf(server.server.address(), host)
  const ownName = settings.inContainer ? ownContainer() : undefined
  return {
    origin,
    store: storeKindOf(settings.storeUrl)?.shown(settings.storeUrl) ?? '',
    firstSteps:
      firstKey === undefined ? undefined : firstSteps(reachable(origin), firstKey.path, ownName),
    unanswered: () => lifecycle.unanswered,
    stop: async () => {
      lifecycle.state = 'draining'
      await pause(settings.shutdownDelayMs)
      await lifecycle.close(server)
      await close(container)
    },
  }
}

/**
 * A request that waits for the store moves no bytes. A repeat waits for the first sending and then for
 * its own: twice the time-out of the store. An event that creates its entity may do so three times, and
 * the last item of a batch may begin when one time-out is over: seven, and one to spare. A read may
 * wait for the head and then for a position, and fold for ten seconds each time.
 */
function timeouts({ storeTimeoutMs, readWaitMs }: Settings): Timeouts {
  const ofReads = 2 * (readWaitMs + longestFoldMs) + 1_000
  return {
    ...defaultTimeouts,
    silenceMs: Math.max(defaultTimeouts.silenceMs, 8 * storeTimeoutMs, ofReads),
  }
}

const longestFoldMs = 10_000

/** The part of the heap that bodies of batches may fill: what is read of them is larger by far. */
const heapShareOfBatches = 1 / 64

function batchBytes(): number {
  return getHeapStatistics().heap_size_limit * heapShareOfBatches
}

/** The library is loaded when there is a limit, and not before. */
async function rateLimit({ rateLimit: most }: Settings): Promise<RateLimit | undefined> {
  if (most === undefined) return undefined
  const { RequestsASecond } = await import('../adapters/rate-limiter/requests-a-second.js')
  return new RequestsASecond(most)
}

function originOf(bound: AddressInfo | string | null, host: string): string {
  if (bound === null || typeof bound === 'string') return `http://${host}`
  const { address, port } = bound
  return `http://${address.includes(':') ? `[${address}]` : address}:${String(port)}`
}

/** Listening everywhere is no place to send a request to. */
function reachable(origin: string): string {
  return origin.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:')
}
