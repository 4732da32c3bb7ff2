import 'reflect-metadata'
import { Container, ContainerModule } from 'inversify'
import { faultCodes } from '../adapters/http/errors/faults.js'
import { Metrics } from '../adapters/prometheus/metrics.js'
import { systemClock } from '../adapters/system/system-clock.js'
import { uuidGenerator } from '../adapters/system/uuid-generator.js'
import { checkReadinessUseCase } from '../application/recording/check-readiness.js'
import { createEntityUseCase } from '../application/recording/create-entity.js'
import type { Log } from '../application/ports/log.js'
import { recordEventUseCase } from '../application/recording/record-event.js'
import { guardStore } from './guard-store.js'
import { KeyRings } from './key-rings.js'
import type { Settings } from './settings.js'
import type { OpenStore } from './store-kind.js'
import { storeForms, storeKindOf } from './stores.js'
import { tokens } from './tokens.js'

/**
 * Every part of the service that lives as long as it does. The store opens when it is first asked
 * for (`getAsync`) and closes with `unbindAllAsync`.
 */
export function createContainer(
  settings: Settings,
  log: Log,
  version: string,
  onStoreLost: (reason: string) => void,
): Container {
  const container = new Container({ defaultScope: 'Singleton' })
  container.bind(tokens.settings).toConstantValue(settings)
  container.bind(tokens.log).toConstantValue(log)
  container.bind(tokens.onStoreLost).toConstantValue(onStoreLost)
  container
    .bind(tokens.metrics)
    .toConstantValue(new Metrics({ version, faultCodes, maxInFlight: settings.maxInFlight }))
  container.load(systemModule, storeModule, keyModule, useCaseModule)
  return container
}

const systemModule = new ContainerModule(({ bind }) => {
  bind(tokens.clock).toConstantValue(systemClock)
  bind(tokens.ids).toConstantValue(uuidGenerator)
})

const storeModule = new ContainerModule(({ bind }) => {
  bind(tokens.openStore)
    .toResolvedValue(openStore, [tokens.settings, tokens.log, tokens.metrics, tokens.onStoreLost])
    .onDeactivation((store: OpenStore) => store.close())
  bind(tokens.eventStore).toResolvedValue(
    (store, { maxInFlight }, { appends }) => guardStore(store, maxInFlight, appends),
    [tokens.openStore, tokens.settings, tokens.metrics],
  )
})

const keyModule = new ContainerModule(({ bind }) => {
  bind(tokens.keyRing)
    .toResolvedValue((settings, log) => new KeyRings(settings, log), [tokens.settings, tokens.log])
    .onDeactivation((rings: KeyRings) => {
      rings.close()
    })
})

const useCaseModule = new ContainerModule(({ bind }) => {
  bind(tokens.useCases).toResolvedValue(
    (store, health, clock, ids) => ({
      createEntity: createEntityUseCase(store, clock, ids),
      recordEvent: recordEventUseCase(store, clock, ids),
      checkReadiness: checkReadinessUseCase(health, clock),
    }),
    [tokens.eventStore, tokens.openStore, tokens.clock, tokens.ids],
  )
})

async function openStore(
  settings: Settings,
  log: Log,
  metrics: Metrics,
  onLost: (reason: string) => void,
): Promise<OpenStore> {
  const { storeUrl: url, storeTimeoutMs: timeoutMs } = settings
  const kind = storeKindOf(url)
  if (kind === undefined) throw new TypeError(`STORE_URL must be ${storeForms}`)
  const commits = () => metrics.commits()
  const store = await kind.open({ url, timeoutMs, log, commits, onLost })
  if (store.queued !== undefined) {
    const help = 'Appends that wait for the writer, those that were answered with 504 included.'
    metrics.gauge('dossier_writer_queue_appends', help, () => store.queued?.appends ?? 0)
  }
  return store
}
