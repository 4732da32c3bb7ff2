import type { ServiceIdentifier } from 'inversify'
import type { KeyRings } from '../adapters/api-keys/key-rings.js'
import type { RateLimit } from '../adapters/http/ports/key-ring.js'
import type { Metrics } from '../adapters/prometheus/metrics.js'
import type { ErasureLog } from '../application/erasing/erasure-log.js'
import type { ErasureWorker } from '../application/erasing/erasure-worker.js'
import type { ErasureLedger } from '../application/erasing/ports/erasure-ledger.js'
import type { Clock, IdGenerator } from '../application/ports/clock-and-ids.js'
import type { Log } from '../application/ports/log.js'
import type { RulePreviewer } from '../application/reading/preview-rule.js'
import type { SegmentPublisher } from '../application/segments/publish-segments.js'
import type { ReadModel } from '../application/reading/ports/read-model.js'
import type { LogTimeWatch } from '../application/reading/watch-log-time.js'
import type { ClockGuard } from '../application/recording/clock-guard.js'
import type { GuardedStore } from '../application/recording/guard-store.js'
import type { UseCases } from '../application/use-cases.js'
import type { Settings } from './settings.js'
import type { OpenStore } from './store-kind.js'

export interface GivenParts {
  readonly settings: Settings
  readonly log: Log
  readonly version: string
  /** To be called once when the store can never take an append again in this process. */
  readonly onStoreLost: (reason: string) => void
}

interface Parts extends GivenParts {
  readonly clock: Clock
  readonly ids: IdGenerator
  readonly heapBytes: number
  readonly metrics: Metrics
  readonly keyRing: KeyRings
  /** Undefined where the requests of a key are not limited. */
  readonly rateLimit: RateLimit | undefined
  readonly store: OpenStore
  /** Undefined where the store has no clock. */
  readonly clockGuard: ClockGuard | undefined
  readonly guardedStore: GuardedStore
  /** Undefined where it is off; so are the three below. */
  readonly readModel: ReadModel | undefined
  readonly previewer: RulePreviewer | undefined
  /** Undefined where the store has a clock, too. */
  readonly logTimeWatch: LogTimeWatch | undefined
  readonly segmentPublisher: SegmentPublisher | undefined
  readonly erasureLog: ErasureLog
  readonly erasureLedger: ErasureLedger
  /** Undefined where nobody is erased. */
  readonly erasureWorker: ErasureWorker | undefined
  readonly useCases: UseCases
}

/** Declared with its type, a token is checked wherever it is bound or resolved. */
type Tokens = { readonly [Name in keyof Parts]: ServiceIdentifier<Parts[Name]> }

export const tokens: Tokens = {
  settings: Symbol('settings'),
  log: Symbol('log'),
  version: Symbol('version'),
  onStoreLost: Symbol('onStoreLost'),
  clock: Symbol('clock'),
  ids: Symbol('ids'),
  heapBytes: Symbol('heapBytes'),
  metrics: Symbol('metrics'),
  keyRing: Symbol('keyRing'),
  rateLimit: Symbol('rateLimit'),
  store: Symbol('store'),
  clockGuard: Symbol('clockGuard'),
  guardedStore: Symbol('guardedStore'),
  readModel: Symbol('readModel'),
  previewer: Symbol('previewer'),
  logTimeWatch: Symbol('logTimeWatch'),
  segmentPublisher: Symbol('segmentPublisher'),
  erasureLog: Symbol('erasureLog'),
  erasureLedger: Symbol('erasureLedger'),
  erasureWorker: Symbol('erasureWorker'),
  useCases: Symbol('useCases'),
}
