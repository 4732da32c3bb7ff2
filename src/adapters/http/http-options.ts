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

/** The parts and the options of the HTTP adapter. */

export interface HttpParts {
  readonly useCases: UseCases
  readonly keyRing: KeyRing
  readonly clock: Clock
  readonly log: Log
  readonly lifecycle: Lifecycle
  readonly metrics: MetricsText
  readonly observer: RequestObserver
  readonly trackingObserver: TrackingObserver
  /** Undefined: the requests of a key are not limited. */
  readonly rateLimit?: RateLimit | undefined
  /** False while a restored store lacks erasures of the ledger: nothing is served then. */
  readonly hasLedgerCaughtUp?: (() => boolean) | undefined
  /** The files of the web page; undefined: there is no web page. */
  readonly console?: ConsoleFiles | undefined
  /** The files of the client; undefined: they are not served. */
  readonly client?: ClientFiles | undefined
  /** Tests replace the timers of streams. */
  readonly streamTimers?: StreamTimers | undefined
  readonly turns?: FairTurns | undefined
}

export interface HttpOptions {
  /** The largest body, in bytes. */
  readonly bodyLimit: number
  /** The rate of each key that `GET /key` shows; `HttpParts.rateLimit` enforces it. Undefined: no limit. */
  readonly requestsASecond?: number | undefined
  /** The bytes of all bodies of batches under way. */
  readonly batchBytes: number
  /** How long a batch may wait for other batches, in milliseconds. */
  readonly batchWaitMs: number
  /** How long a read may wait for its Position, in milliseconds. */
  readonly readWaitMs: number
  readonly searchProperties: readonly string[]
  readonly logRequests: boolean
  /** The version in the OpenAPI document. */
  readonly version: string
  /** The kind of store, in one word, without its location. */
  readonly storeKind: string
  readonly tracking: TrackingOptions
  readonly timeouts?: Timeouts
}

/** The time-outs of clients, in milliseconds. */
export interface Timeouts {
  readonly headersMs: number
  readonly requestMs: number
  /** The longest silence in both directions during a request: longer than the time-outs of the store. */
  readonly silenceMs: number
  /** The longest idle time between two requests. */
  readonly keepAliveMs: number
  /** The interval of checks of the first two time-outs. */
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
  /** The parts of an item's context that are stored with an event, as dotted paths. */
  readonly context: readonly string[]
  /** Whether a request gets 200 although some of its items can never be stored. */
  readonly isLenient: boolean
  /** The URL of this service for browsers; undefined: the URL of their request. */
  readonly publicUrl: string | undefined
}
