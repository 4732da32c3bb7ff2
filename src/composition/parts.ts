import type { ServiceIdentifier } from 'inversify'
import type { KeyRings } from '../adapters/api-keys/key-rings.js'
import type { RateLimit } from '../adapters/http/ports/key-ring.js'
import type { Metrics } from '../adapters/prometheus/metrics.js'
import type { ErasingParts } from '../application/erasing/erase-entity.js'
import type { ErasureWorker } from '../application/erasing/erasure-worker.js'
import type { DescriptorWatch } from '../adapters/system/descriptor-watch.js'
import type { Clock, IdGenerator } from '../application/ports/clock-and-ids.js'
import type { Log } from '../application/ports/log.js'
import type { RulePreviewer } from '../application/reading/preview-rule.js'
import type { SegmentPublisher } from '../application/segments/publish-segments.js'
import type { ReadModel } from '../application/reading/ports/read-model.js'
import type { LogTimeWatch } from '../application/reading/watch-log-time.js'
import type { ClockGuard } from '../application/recording/clock-guard.js'
import type { GuardedStore } from '../application/recording/guard-store.js'
import type { ReadingUseCases, UseCases } from '../application/use-cases.js'
import type { WebhookLog } from '../application/webhooks/webhook-log.js'
import type { OpenWebhooks } from './webhooks.js'
import type { Settings } from './settings.js'
import type { OpenStore } from './store-kind.js'

export interface GivenParts {
  readonly settings: Settings
  readonly log: Log
  readonly version: string
  /** Call it once, when this process can never append to the store again. */
  readonly onStoreLost: (reason: string) => void
}

/**
 * Returns a token that carries the type of its object, so that bindings and resolutions are
 * type-checked.
 */
function token<Part>(name: string): ServiceIdentifier<Part> {
  return Symbol(name)
}

export const tokens = {
  settings: token<GivenParts['settings']>('settings'),
  log: token<GivenParts['log']>('log'),
  version: token<GivenParts['version']>('version'),
  onStoreLost: token<GivenParts['onStoreLost']>('onStoreLost'),
  clock: token<Clock>('clock'),
  ids: token<IdGenerator>('ids'),
  heapBytes: token<number>('heapBytes'),
  metrics: token<Metrics>('metrics'),
  descriptorWatch: token<DescriptorWatch>('descriptorWatch'),
  keyRing: token<KeyRings>('keyRing'),
  /** Undefined when requests are not limited. */
  rateLimit: token<RateLimit | undefined>('rateLimit'),
  store: token<OpenStore>('store'),
  /** Undefined when the store has no clock. */
  clockGuard: token<ClockGuard | undefined>('clockGuard'),
  guardedStore: token<GuardedStore>('guardedStore'),
  /** Undefined when the read model is off. The three objects below are then undefined, too. */
  readModel: token<ReadModel | undefined>('readModel'),
  previewer: token<RulePreviewer | undefined>('previewer'),
  /** Undefined when the read model is off or the store has a clock. */
  logTimeWatch: token<LogTimeWatch | undefined>('logTimeWatch'),
  segmentPublisher: token<SegmentPublisher | undefined>('segmentPublisher'),
  erasing: token<ErasingParts>('erasing'),
  /** Undefined when erasing is off. */
  erasureWorker: token<ErasureWorker | undefined>('erasureWorker'),
  webhookLog: token<WebhookLog>('webhookLog'),
  webhooks: token<OpenWebhooks>('webhooks'),
  /** Undefined when the read model is off. */
  reading: token<ReadingUseCases | undefined>('reading'),
  useCases: token<UseCases>('useCases'),
}
