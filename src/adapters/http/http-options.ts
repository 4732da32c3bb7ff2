import type { Clock } from '../../application/ports/clock-and-ids.js'
import type { Log } from '../../application/ports/log.js'
import type { FairTurns } from '../../application/fair-turns.js'
import type { UseCases } from '../../application/use-cases.js'
import type { Lifecycle } from './connection/lifecycle.js'
import type { ClientFiles } from './client/client-files.js'
import type { ConsoleFiles } from './console/console-files.js'
import type { StreamTimers } from './feed/open-streams.js'
import type { KeyRing, RateLimit } from './ports/key-ring.js'
import type { MetricsText, RequestObserver, TrackingObserver } from './ports/observers.js'
import type { Origins } from './tracking/browsers.js'

export interface HttpParts {
  readonly useCases: UseCases
  readonly keyRing: KeyRing
  readonly clock: Clock
  readonly log: Log
  readonly lifecycle: Lifecycle
  readonly metrics: MetricsText
  readonly observer: RequestObserver
  readonly trackingObserver: TrackingObserver
  /** The rate limit of each API key. Undefined when there is no limit. */
  readonly rateLimit?: RateLimit | undefined
  /**
   * Returns false while a restored store still contains entities that are erased according to the
   * erasure ledger. Until it returns true, every route refuses requests.
   */
  readonly hasLedgerCaughtUp?: (() => boolean) | undefined
  /** The files of the web console. Undefined when no console is served. */
  readonly console?: ConsoleFiles | undefined
  /** The files of the client. Undefined when no client is served. */
  readonly client?: ClientFiles | undefined
  /** The OpenAPI document that the build wrote. If undefined, the server generates it at the first request. */
  readonly document?: string | undefined
  /** The clock and timers of streams. Tests replace them. */
  readonly streamTimers?: StreamTimers | undefined
  readonly turns?: FairTurns | undefined
}

export interface HttpOptions {
  /** The largest body, in bytes. */
  readonly bodyLimit: number
  /**
   * The rate limit that `GET /key` reports, in requests per second. Undefined when there is no
   * limit. `HttpParts.rateLimit` enforces the limit.
   */
  readonly requestsASecond?: number | undefined
  /** The maximum number of bytes of all batch bodies in progress. */
  readonly batchBytes: number
  /** The longest time that a batch waits for other batches, in milliseconds. */
  readonly batchWaitMs: number
  /**
   * The longest time that a read waits for the position in its `Position` header, in milliseconds.
   */
  readonly readWaitMs: number
  readonly searchProperties: readonly string[]
  readonly logRequests: boolean
  /** The version in the OpenAPI document. */
  readonly version: string
  /** The kind of the store in one word, without its location. */
  readonly storeKind: string
  readonly tracking: TrackingOptions
  readonly timeouts?: Timeouts
}

/** The timeouts of client connections, in milliseconds. */
export interface Timeouts {
  readonly headersMs: number
  readonly requestMs: number
  /**
   * The longest silence in both directions during a request. It is longer than the timeouts of the
   * store.
   */
  readonly silenceMs: number
  /** The longest idle time between two requests of a connection. */
  readonly keepAliveMs: number
  /** The interval at which Node checks `headersMs` and `requestMs`. */
  readonly checkEveryMs: number
}

export const defaultTimeouts: Timeouts = {
  headersMs: 10_000,
  requestMs: 30_000,
  silenceMs: 30_000,
  keepAliveMs: 72_000,
  checkEveryMs: 1_000,
}

export interface TrackingOptions {
  readonly origins: Origins
  /** The members of an item's context that are stored with its event, as dotted paths. */
  readonly context: readonly string[]
  /** Whether a request still gets 200 when some of its items can never be stored. */
  readonly isLenient: boolean
  /**
   * The URL under which browsers reach this service. If undefined, the URL of each request is used.
   */
  readonly publicUrl: string | undefined
}
