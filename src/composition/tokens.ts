import type { ServiceIdentifier } from 'inversify'
import type { Metrics } from '../adapters/prometheus/metrics.js'
import type { Clock } from '../application/ports/clock.js'
import type { ClockGuard } from '../application/recording/clock-guard.js'
import type { IdGenerator } from '../application/ports/id-generator.js'
import type { Log } from '../application/ports/log.js'
import type { ReadModel } from '../application/reading/ports/read-model.js'
import type { SegmentKeeper } from '../application/reading/keep-segments.js'
import type { LogTimeWatch } from '../application/reading/watch-log-time.js'
import type { SegmentUseCases, UseCases } from '../application/use-cases.js'
import type { GuardedStore } from './guard-store.js'
import type { KeyRings } from './key-rings.js'
import type { OpenReads } from './read-model.js'
import type { Settings } from './settings.js'
import type { OpenStore } from './store-kind.js'

/** Declared with its type, a token is checked wherever it is bound or asked for. */
interface Tokens {
  readonly settings: ServiceIdentifier<Settings>
  readonly log: ServiceIdentifier<Log>
  readonly metrics: ServiceIdentifier<Metrics>
  readonly clock: ServiceIdentifier<Clock>
  readonly ids: ServiceIdentifier<IdGenerator>
  readonly onStoreLost: ServiceIdentifier<(reason: string) => void>
  readonly openStore: ServiceIdentifier<OpenStore>
  /** Undefined where the store has no clock. */
  readonly clockGuard: ServiceIdentifier<ClockGuard | undefined>
  readonly eventStore: ServiceIdentifier<GuardedStore>
  readonly readModel: ServiceIdentifier<ReadModel | undefined>
  /** Undefined where the store has a clock, or the read model is off. */
  readonly logTimeWatch: ServiceIdentifier<LogTimeWatch | undefined>
  /** Undefined where the read model is off. */
  readonly segmentKeeper: ServiceIdentifier<SegmentKeeper | undefined>
  readonly reads: ServiceIdentifier<OpenReads>
  readonly keyRing: ServiceIdentifier<KeyRings>
  readonly recording: ServiceIdentifier<Omit<UseCases, 'reading' | keyof SegmentUseCases>>
  readonly segments: ServiceIdentifier<SegmentUseCases>
  /** Undefined where the read model is off. */
  readonly reading: ServiceIdentifier<UseCases['reading']>
}

export const tokens: Tokens = {
  settings: Symbol('Settings'),
  log: Symbol('Log'),
  metrics: Symbol('Metrics'),
  clock: Symbol('Clock'),
  ids: Symbol('IdGenerator'),
  onStoreLost: Symbol('OnStoreLost'),
  openStore: Symbol('OpenStore'),
  clockGuard: Symbol('ClockGuard'),
  eventStore: Symbol('EventStore'),
  readModel: Symbol('ReadModel'),
  logTimeWatch: Symbol('LogTimeWatch'),
  segmentKeeper: Symbol('SegmentKeeper'),
  reads: Symbol('OpenReads'),
  keyRing: Symbol('KeyRing'),
  recording: Symbol('Recording'),
  segments: Symbol('Segments'),
  reading: Symbol('Reading'),
}
