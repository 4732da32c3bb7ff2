import type { Clock } from '../../application/ports/clock-and-ids.js'
import type { Log } from '../../application/ports/log.js'
import type { FairTurns } from '../../application/fair-turns.js'
import type { UseCases } from '../../application/use-cases.js'
import type { Lifecycle } from './connection/lifecycle.js'
import type { ConsoleFiles } from './console/console-files.js'
import type { StreamTimers } from './feed/open-streams.js'
import type { KeyRing, RateLimit } from './ports/key-ring.js'
import type { MetricsText, RequestObserver, TrackingObserver } from './ports/observers.js'
import type { Origins } from './tracking/browsers.js'

/** What the way in is made of, and how it is set. */

export interface HttpParts {
  readonly useCases: UseCases
  readonly keyRing: KeyRing
  readonly clock: Clock
  readonly log: Log
  readonly lifecycle: Lifecycle
  readonly metrics: MetricsText
  readonly observer: RequestObserver
  readonly trackingObserver: TrackingObserver
  /** Given when the requests of a key are limited. */
  readonly rateLimit?: RateLimit | undefined
  /** False while persons are erased again, whom the store does not know as erased: nothing is served then. */
  readonly isWhole?: (() => boolean) | undefined
  /** The web page; undefined: there is none. */
  readonly console?: ConsoleFiles | undefined
  /** Given by tests. */
  readonly streamTimers?: StreamTimers | undefined
  readonly turns?: FairTurns | undefined
}

export interface HttpOptions {
  /** The largest body, in bytes. */
  readonly bodyLimit: number
  /** The rate of each key, to be shown; `HttpParts.rateLimit` limits it. Undefined: no limit. */
  readonly requestsASecond?: number | undefined
  /** Bytes of the bodies of all batches under way at once. */
  readonly batchBytes: number
  /** How long a batch may wait for others, in milliseconds. */
  readonly batchWaitMs: number
  /** How long a read may wait for the position that it is to know, in milliseconds. */
  readonly readWaitMs: number
  readonly searchProperties: readonly string[]
  readonly logRequests: boolean
  /** Stands in the OpenAPI document. */
  readonly version: string
  /** In one word: nothing of where the store is. */
  readonly storeKind: string
  readonly tracking: TrackingOptions
  readonly timeouts?: Timeouts
}

/** How long a client may take, in milliseconds. */
export interface Timeouts {
  readonly headersMs: number
  readonly requestMs: number
  /** Without a byte in either direction while a request is under way: longer than the store may take. */
  readonly silenceMs: number
  /** Between two requests. */
  readonly keepAliveMs: number
  /** How often the first two are checked. */
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
  /** The places of an item's context that are stored with an event: dotted paths. */
  readonly context: readonly string[]
  /** Whether a request is answered with 200 although some of its items can never be stored. */
  readonly isLenient: boolean
  /** Where browsers reach this service; undefined: as they say themselves. */
  readonly publicUrl: string | undefined
}
