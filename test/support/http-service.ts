import { WebhookLog } from '../../src/application/webhooks/webhook-log.js'
import { webhooksIn } from './webhooks/webhooks-in.js'
import type { WebhookTransport } from '../../src/application/webhooks/ports/webhook-sending.js'
import type { FairTurns } from '../../src/application/fair-turns.js'
import { ErasureLog } from '../../src/application/erasing/erasure-log.js'
import { erasing, recipientsOf } from '../../src/composition/erasing.js'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { HttpOptions, Timeouts } from '../../src/adapters/http/http-options.js'
import { createServer } from '../../src/adapters/http/server.js'
import { Lifecycle } from '../../src/adapters/http/connection/lifecycle.js'
import type { StreamTimers } from '../../src/adapters/http/feed/open-streams.js'
import type { RateLimit, KeyRing } from '../../src/adapters/http/ports/key-ring.js'
import type { RequestObserver, TrackingObserver } from '../../src/adapters/http/ports/observers.js'
import type { MemoryEventStore } from '../../src/adapters/memory/memory-event-store.js'
import { uuidGenerator } from '../../src/adapters/system/clock-and-ids.js'
import { trustedClock, type ClockTrust } from '../../src/application/recording/clock-guard.js'
import type { Clock } from '../../src/application/ports/clock-and-ids.js'
import type { EventStore, StoreHealth } from '../../src/application/recording/ports/event-store.js'
import {
  recordingUseCases,
  readingUseCases,
  segmentUseCases,
} from '../../src/application/use-cases.js'
import type { BatchLimits } from '../../src/application/recording/run-batch.js'
import { servedOfIn } from '../../src/application/segments/served-segments.js'
import { readerWithin, RulePreviewer } from '../../src/application/reading/preview-rule.js'
import { findEventIn } from '../../src/application/reading/find-event.js'
import { profileLimitIn } from '../../src/application/reading/profile-limit.js'
import type { NotErasable } from '../../src/application/erasing/erase-entity.js'
import { ErasingMemoryStore } from './erasing-memory-store.js'
import { LoggedStore } from './logged-store.js'
import { LogLines } from './log-lines.js'
import { ReadModelInStep } from './read-model-in-step.js'
import { writeKey } from './write-key.js'

export const defineKey = 'a-key-that-may-define-0123456789'
export { writeKey }
export const trackKey = 'a-key-that-may-track-0123456789'
export const readKey = 'a-key-that-may-read-0123456789'
export const eraseKey = 'a-key-that-may-erase-0123456789'
export const bodyLimit = 8_192
/**
 * The longest wait of a read, in milliseconds. Facts in transit arrive within this time, and tests
 * in which none arrives stay fast.
 */
const readWaitMs = 50
const batchBytes = 8_388_608
const batchLimits: BatchLimits = {
  inFlight: 1_024,
  timeoutMs: 60_000,
  now: () => performance.now(),
}

export const keyRing: KeyRing = {
  holderOf: (key) => {
    if (key === defineKey) return { id: 'd', name: 'definer', scopes: ['segments'] }
    if (key === writeKey) return { id: 'w', name: 'writer', scopes: ['read', 'write'] }
    if (key === eraseKey) return { id: 'e', name: 'eraser', scopes: ['erase'] }
    if (key === trackKey) return { id: 't', name: 'tracker', scopes: ['track'] }
    return key === readKey ? { id: 'r', name: 'reader', scopes: ['read'] } : undefined
  },
}

/** A clock that a test sets. */
export class StoppedClock implements Clock {
  constructor(public time = '2026-11-20T09:30:00.000Z') {}

  now(): Date {
    return new Date(this.time)
  }
}

export interface ServiceParts {
  readonly eventStore?: (store: MemoryEventStore) => EventStore
  readonly health?: StoreHealth
  readonly keyRing?: KeyRing
  readonly clock?: Clock
  readonly clockTrust?: ClockTrust
  readonly observer?: RequestObserver
  readonly trackingObserver?: TrackingObserver
  readonly rateLimit?: RateLimit
  readonly streamTimers?: StreamTimers
  readonly batchLimits?: Partial<BatchLimits>
  readonly turns?: FairTurns
  readonly options?: Partial<HttpOptions>
  /** False: the process has no read model and only answers writes. */
  readonly reads?: boolean
  /** The reason why no entity can be erased. */
  readonly notErasable?: NotErasable
  /** Whether this process voids no events. */
  readonly voidsOff?: boolean
  readonly hasLedgerCaughtUp?: () => boolean
  /** Sends the tests of webhooks. Default: every receiver replies with 204. */
  readonly webhookTransport?: WebhookTransport
}

export interface HttpService {
  readonly server: FastifyInstance
  store: MemoryEventStore
  /** The log that the read model follows. */
  readonly logged: LoggedStore
  readonly readModel: ReadModelInStep
  readonly log: LogLines
  readonly lifecycle: Lifecycle
}

export const noObserver: RequestObserver = {
  route: () => () => undefined,
  fault: () => undefined,
  feedReaders: () => undefined,
}

export const noTrackingObserver: TrackingObserver = {
  item: () => undefined,
  replacedTime: () => undefined,
}

/** The answer of `/metrics` in these tests. */
export const metrics = {
  contentType: 'text/plain; version=0.0.4; charset=utf-8',
  text: () => Promise.resolve('of_this_test 1\n'),
}

function loggedStore(store: MemoryEventStore, { eventStore }: ServiceParts): LoggedStore {
  return new LoggedStore(eventStore?.(store) ?? store, store)
}

function readModelOver(logged: LoggedStore, { options }: ServiceParts): ReadModelInStep {
  return new ReadModelInStep(logged, options?.readWaitMs ?? readWaitMs)
}

function erasingIn(
  store: LoggedStore,
  { erasable }: ErasingMemoryStore,
  { notErasable }: ServiceParts,
  clock: Clock,
  reads: ReadModelInStep | undefined,
) {
  const streams = notErasable ?? erasable
  const erasures = new ErasureLog(store)
  const ledger = {
    entityIds: new Set<string>(),
    check: () => Promise.resolve(),
    add: () => Promise.resolve(),
  }
  const moreRecipients = recipientsOf(new WebhookLog(store))
  const given = { store, streams, erasures, ledger, clock, ids: uuidGenerator, moreRecipients }
  return erasing(given, reads, undefined)
}

function finderOf({ voidsOff = false }: ServiceParts, reads: ReadModelInStep | undefined) {
  if (voidsOff) return 'voids_off'
  return reads === undefined ? 'no_read_model' : findEventIn(reads)
}

/** Creates the real HTTP server over a store in memory. */
export function httpService(parts: ServiceParts = {}): HttpService {
  const store = new ErasingMemoryStore()
  const log = new LogLines()
  const lifecycle = new Lifecycle()
  const clock = parts.clock ?? new StoppedClock()
  const logged = loggedStore(store, parts)
  const readModel = readModelOver(logged, parts)
  const reads = parts.reads === false ? undefined : readModel
  const useCases = {
    ...recordingUseCases({
      store: logged,
      health: parts.health ?? store,
      clock,
      trust: parts.clockTrust ?? trustedClock,
      ids: uuidGenerator,
      isFull: profileLimitIn(reads),
      finder: finderOf(parts, reads),
      batches: { ...batchLimits, ...parts.batchLimits },
    }),
    ...segmentUseCases({ store: logged, servedOf: servedOfIn(reads), clock, ids: uuidGenerator }),
    ...erasingIn(logged, store, parts, clock, reads),
    ...webhooksIn({ logged, store, clock, model: reads, transport: parts.webhookTransport }),
    reading:
      reads &&
      readingUseCases(reads, new RulePreviewer(reads, () => Promise.resolve(readerWithin(reads))), {
        ended: () => undefined,
      }),
  }
  const server = createServer(
    {
      useCases,
      keyRing: parts.keyRing ?? keyRing,
      clock,
      log,
      lifecycle,
      metrics,
      observer: parts.observer ?? noObserver,
      trackingObserver: parts.trackingObserver ?? noTrackingObserver,
      rateLimit: parts.rateLimit,
      hasLedgerCaughtUp: parts.hasLedgerCaughtUp,
      streamTimers: parts.streamTimers,
      turns: parts.turns,
    },
    {
      bodyLimit,
      batchBytes,
      batchWaitMs: 5_000,
      readWaitMs,
      searchProperties: ['/email', '/address/city'],
      logRequests: false,
      version: '0.0.0',
      storeKind: 'memory',
      tracking: {
        origins: [],
        context: ['page', 'library'],
        isLenient: false,
        publicUrl: undefined,
      },
      ...parts.options,
    },
  )
  return { server, store, logged, readModel, log, lifecycle }
}

/** Creates the server and lets it listen on a free port of this machine. */
export async function listeningService(parts: ServiceParts = {}) {
  const service = httpService(parts)
  const open = new Set<Socket>()
  service.server.server.on('connection', (socket: Socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  await service.server.listen({ host: '127.0.0.1', port: 0 })
  const [address] = service.server.addresses()
  if (typeof address !== 'object') throw new Error('the server does not listen')
  return {
    ...service,
    port: address.port,
    /** Returns the server's sockets of all open connections, oldest first. */
    get sockets(): readonly Socket[] {
      return [...open]
    },
  }
}

/** Timeouts for tests that must not reach them, even on a slow machine. */
export const longTimeouts: Timeouts = {
  headersMs: 25_000,
  requestMs: 25_000,
  silenceMs: 25_000,
  keepAliveMs: 25_000,
  checkEveryMs: 20,
}
/** Timeouts for tests that must reach them. */
export const shortTimeouts: Timeouts = { ...longTimeouts, headersMs: 100, requestMs: 200 }
