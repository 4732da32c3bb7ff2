// Composition: this folder builds a running service from settings.
// - In: `settings.ts` reads the environment, and `run-service.ts` handles signals and startup
// errors.
// - This file binds the objects that `parts.ts` names, and `stores.ts` chooses the store by its
// URL.
// - Out: `service.ts` starts and stops these objects. `commands.ts` wires the other programs.
// - Threads: `read-thread.ts` runs the read model, and `preview-thread.ts` runs a preview.
import 'reflect-metadata'
import { getHeapStatistics } from 'node:v8'
import { Container, ContainerModule } from 'inversify'
import { KeyRings } from '../adapters/api-keys/key-rings.js'
import { faultCodes } from '../adapters/http/errors/faults.js'
import type { RateLimit } from '../adapters/http/ports/key-ring.js'
import { Metrics } from '../adapters/prometheus/metrics.js'
import { pause, systemClock, uuidGenerator } from '../adapters/system/clock-and-ids.js'
import { DescriptorWatch } from '../adapters/system/descriptor-watch.js'
import type { Clock } from '../application/ports/clock-and-ids.js'
import type { Log } from '../application/ports/log.js'
import { findEventIn } from '../application/reading/find-event.js'
import { FairReads } from '../application/reading/fair-reads.js'
import { RulePreviewer } from '../application/reading/preview-rule.js'
import { SegmentPublisher } from '../application/segments/publish-segments.js'
import type { ReadModel } from '../application/reading/ports/read-model.js'
import { profileLimitIn } from '../application/reading/profile-limit.js'
import { readingUseCases, recordingUseCases, segmentUseCases } from '../application/use-cases.js'
import { servedOfIn } from '../application/segments/served-segments.js'
import { LogTimeWatch } from '../application/reading/watch-log-time.js'
import { ClockGuard, trustedClock } from '../application/recording/clock-guard.js'
import { guardStore } from '../application/recording/guard-store.js'
import type { EventFinder } from '../application/recording/void-event.js'
import { itemsInFlight } from '../application/recording/run-batch.js'
import { erasing, erasingParts, startErasureWorker } from './erasing.js'
import { tokens, type GivenParts } from './parts.js'
import { filesOfReadModel, openReadModel, previewReaders } from './read-model.js'
import type { Settings } from './settings.js'
import type { OpenStore } from './store-kind.js'
import { storeForms, storeKindOf } from './stores.js'
import { webhookModule } from './webhook-module.js'

/**
 * Binds all objects of the service. An object opens when it is first resolved with `getAsync`, and
 * closes when it is unbound.
 */
export function createContainer({ settings, log, version, onStoreLost }: GivenParts): Container {
  const container = new Container({ defaultScope: 'Singleton' })
  container.bind(tokens.settings).toConstantValue(settings)
  container.bind(tokens.log).toConstantValue(log)
  container.bind(tokens.version).toConstantValue(version)
  container.bind(tokens.onStoreLost).toConstantValue(onStoreLost)
  container.load(
    processModule,
    edgeModule,
    clockModule,
    storeModule,
    readingModule,
    erasingModule,
    webhookModule,
    useCaseModule,
  )
  return container
}

const processModule = new ContainerModule(({ bind }) => {
  bind(tokens.clock).toConstantValue(systemClock)
  bind(tokens.ids).toConstantValue(uuidGenerator)
  bind(tokens.heapBytes).toResolvedValue(() => getHeapStatistics().heap_size_limit)
  bind(tokens.metrics).toResolvedValue(
    (version, { maxInFlight }) => new Metrics({ version, faultCodes, maxInFlight }),
    [tokens.version, tokens.settings],
  )
  bind(tokens.descriptorWatch)
    .toResolvedValue((log) => DescriptorWatch.start({ log, pause }), [tokens.log])
    .onDeactivation((watch) => watch.stop())
})

const edgeModule = new ContainerModule(({ bind }) => {
  bind(tokens.keyRing)
    .toResolvedValue(
      (settings, log) => new KeyRings(settings, log, pause),
      [tokens.settings, tokens.log],
    )
    .onDeactivation((rings) => rings.close())
  bind(tokens.rateLimit).toResolvedValue(limitRate, [tokens.settings])
})

/**
 * Binds the guard that compares this machine's clock with the store's clock. For a store without a clock, binds a watch
 * that compares this machine's clock with log time.
 */
const clockModule = new ContainerModule(({ bind }) => {
  bind(tokens.clockGuard)
    .toResolvedValue(guardClock, [tokens.store, tokens.clock, tokens.log, tokens.metrics])
    .onDeactivation((guard) => guard?.stop())
  bind(tokens.logTimeWatch)
    .toResolvedValue(watchLogTime, [
      tokens.store,
      tokens.readModel,
      tokens.clock,
      tokens.log,
      tokens.metrics,
    ])
    .onDeactivation((watch) => watch?.stop())
})

const storeModule = new ContainerModule(({ bind }) => {
  bind(tokens.store)
    .toResolvedValue(openStore, [tokens.settings, tokens.log, tokens.metrics, tokens.onStoreLost])
    .onDeactivation((store) => store.close())
  bind(tokens.guardedStore).toResolvedValue(
    (store, { maxInFlight }, heapBytes, metrics, guard) =>
      guardStore(store, {
        maxInFlight,
        heapBytes,
        clock: guard ?? trustedClock,
        counter: metrics.appends,
      }),
    [tokens.store, tokens.settings, tokens.heapBytes, tokens.metrics, tokens.clockGuard],
  )
})

const readingModule = new ContainerModule(({ bind }) => {
  bind(tokens.readModel)
    .toResolvedValue(followStore, [tokens.settings, tokens.store, tokens.log, tokens.metrics])
    .onDeactivation((model) => model?.close())
  bind(tokens.previewer)
    .toResolvedValue(
      (model, settings, log) =>
        model && new RulePreviewer(model, previewReaders(settings, model, log)),
      [tokens.readModel, tokens.settings, tokens.log],
    )
    .onDeactivation((previewer) => previewer?.close())
  bind(tokens.segmentPublisher)
    .toResolvedValue(
      (model, store, clock, ids, log) => {
        if (model === undefined) return undefined
        const parts = { store, clock, ids, log, pause, random: Math.random }
        const publisher = new SegmentPublisher(model, parts)
        publisher.start()
        return publisher
      },
      [tokens.readModel, tokens.guardedStore, tokens.clock, tokens.ids, tokens.log],
    )
    .onDeactivation((publisher) => publisher?.stop())
})

const erasingModule = new ContainerModule(({ bind }) => {
  bind(tokens.erasing).toResolvedValue(erasingParts, [
    tokens.settings,
    tokens.store,
    tokens.guardedStore,
    tokens.clock,
    tokens.ids,
    tokens.webhookLog,
  ])
  bind(tokens.erasureWorker)
    .toResolvedValue(
      async (given, model, log, metrics, clock) => {
        const worker = await startErasureWorker(given, model, log)
        if (worker !== undefined) metrics.showErasures(worker, clock)
        return worker
      },
      [tokens.erasing, tokens.readModel, tokens.log, tokens.metrics, tokens.clock],
    )
    .onDeactivation((worker) => worker?.stop())
})

const useCaseModule = new ContainerModule(({ bind }) => {
  bind(tokens.reading).toResolvedValue(
    (model, previewer, metrics) =>
      model && previewer && readingUseCases(model, previewer, metrics.searches()),
    [tokens.readModel, tokens.previewer, tokens.metrics],
  )
  bind(tokens.useCases).toResolvedValue(
    (store, opened, model, reading, clock, guard, ids, settings, given, worker, webhooks) => ({
      ...recordingUseCases({
        store,
        health: opened,
        clock,
        trust: guard ?? trustedClock,
        ids,
        isFull: profileLimitIn(model),
        finder: eventFinder(settings, model),
        batches: {
          inFlight: itemsInFlight(settings.maxInFlight),
          timeoutMs: settings.storeTimeoutMs,
          now: () => performance.now(),
        },
      }),
      ...segmentUseCases({ store, servedOf: servedOfIn(model), clock, ids }),
      ...erasing(given, model, worker),
      ...webhooks.useCases,
      reading,
    }),
    [
      tokens.guardedStore,
      tokens.store,
      tokens.readModel,
      tokens.reading,
      tokens.clock,
      tokens.clockGuard,
      tokens.ids,
      tokens.settings,
      tokens.erasing,
      tokens.erasureWorker,
      tokens.webhooks,
    ],
  )
})

/**
 * Returns the function that finds events to void, or the reason why this process voids none. Several processes may
 * write to a shared store. VOID=on confirms that every process understands voided events.
 */
export function eventFinder(
  { storeUrl, void: mayVoid }: Pick<Settings, 'storeUrl' | 'void'>,
  model: ReadModel | undefined,
): EventFinder {
  if (model === undefined) return 'no_read_model'
  const isShared = storeKindOf(storeUrl)?.isShared === true
  return (mayVoid ?? !isShared) ? findEventIn(model) : 'voids_off'
}

/** Returns the rate limiter. Loads its library only when a limit is set. */
async function limitRate({ rateLimit: most }: Settings): Promise<RateLimit | undefined> {
  if (most === undefined) return undefined
  const { RequestsASecond } = await import('../adapters/rate-limiter/requests-a-second.js')
  return new RequestsASecond(most)
}

async function openStore(
  settings: Settings,
  log: Log,
  metrics: Metrics,
  onLost: (reason: string) => void,
): Promise<OpenStore> {
  const { storeUrl: url, storeTimeoutMs: timeoutMs, erase: erases = false } = settings
  const kind = storeKindOf(url)
  if (kind === undefined) throw new TypeError(`STORE_URL must be ${storeForms}`)
  const commits = () => metrics.commits()
  const readModelFiles = filesOfReadModel(settings)
  const store = await kind.open({ url, timeoutMs, log, commits, onLost, readModelFiles, erases })
  if (store.queued !== undefined) metrics.showWriterQueue(() => store.queued?.appends ?? 0)
  return store
}

/**
 * Opens the read model. Call it after the store was opened, because the read model follows the
 * store.
 */
async function followStore(
  settings: Settings,
  store: OpenStore,
  log: Log,
  metrics: Metrics,
): Promise<ReadModel | undefined> {
  const opened = await openReadModel(settings, store, log)
  if (opened === undefined) return undefined
  const model = metrics.reading(new FairReads(opened))
  store.findKeysIn(model)
  return model
}

async function guardClock(
  store: OpenStore,
  clock: Clock,
  log: Log,
  metrics: Metrics,
): Promise<ClockGuard | undefined> {
  if (store.time === undefined) return undefined
  const guard = new ClockGuard(store.time, { clock, log, pause })
  metrics.showClock(guard)
  await guard.start()
  return guard
}

function watchLogTime(
  store: OpenStore,
  model: ReadModel | undefined,
  clock: Clock,
  log: Log,
  metrics: Metrics,
): LogTimeWatch | undefined {
  if (store.time !== undefined || model === undefined) return undefined
  const watch = new LogTimeWatch(model, { clock, log, pause })
  metrics.showLogTime(watch)
  watch.start()
  return watch
}
