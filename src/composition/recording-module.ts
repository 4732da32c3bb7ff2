import { ContainerModule } from 'inversify'
import type { Metrics } from '../adapters/prometheus/metrics.js'
import type { Log } from '../application/ports/log.js'
import { checkReadinessUseCase } from '../application/recording/check-readiness.js'
import { createEntityUseCase } from '../application/recording/create-entity.js'
import { recordEventUseCase } from '../application/recording/record-event.js'
import { runBatchWithin } from '../application/recording/run-batch.js'
import type { ClockTrust } from '../application/recording/ports/clock-trust.js'
import { updateEntityUseCase } from '../application/recording/update-entity.js'
import { guardStore } from './guard-store.js'
import { profileLimitIn } from './profile-limit.js'
import type { OpenReads } from './read-model.js'
import type { Settings } from './settings.js'
import type { OpenStore } from './store-kind.js'
import { storeForms, storeKindOf } from './stores.js'
import { tokens } from './tokens.js'

/** The part of all appends under way that those of batches may be. */
const batchShare = 1 / 4

/** Of a store without a clock to compare ours with. */
const trustedClock: ClockTrust = { isTrusted: true }

/** The store, which opens when it is first asked for, and the use cases that write to it. */
export const recordingModule = new ContainerModule(({ bind }) => {
  bind(tokens.openStore)
    .toResolvedValue(openStore, [
      tokens.settings,
      tokens.log,
      tokens.metrics,
      tokens.onStoreLost,
      tokens.reads,
    ])
    .onDeactivation((store: OpenStore) => store.close())
  bind(tokens.eventStore).toResolvedValue(
    (store, { maxInFlight }, { appends }, guard) =>
      guardStore(store, maxInFlight, appends, guard ?? trustedClock),
    [tokens.openStore, tokens.settings, tokens.metrics, tokens.clockGuard],
  )
  bind(tokens.recording).toResolvedValue(
    (store, health, clock, guard, ids, { maxInFlight, storeTimeoutMs }, reads) => ({
      createEntity: createEntityUseCase(store, clock, ids),
      updateEntity: updateEntityUseCase(
        store,
        clock,
        ids,
        profileLimitIn(() => reads.model),
      ),
      recordEvent: recordEventUseCase(store, clock, ids),
      runBatch: runBatchWithin({
        inFlight: Math.max(1, Math.floor(maxInFlight * batchShare)),
        timeoutMs: storeTimeoutMs,
        now: () => performance.now(),
      }),
      checkReadiness: checkReadinessUseCase(health, clock, guard ?? trustedClock),
    }),
    [
      tokens.eventStore,
      tokens.openStore,
      tokens.clock,
      tokens.clockGuard,
      tokens.ids,
      tokens.settings,
      tokens.reads,
    ],
  )
})

async function openStore(
  settings: Settings,
  log: Log,
  metrics: Metrics,
  onLost: (reason: string) => void,
  reads: OpenReads,
): Promise<OpenStore> {
  const { storeUrl: url, storeTimeoutMs: timeoutMs } = settings
  const kind = storeKindOf(url)
  if (kind === undefined) throw new TypeError(`STORE_URL must be ${storeForms}`)
  const commits = () => metrics.commits()
  const store = await kind.open({
    url,
    timeoutMs,
    log,
    commits,
    onLost,
    readModel: () => reads.model,
  })
  if (store.queued !== undefined) {
    const help = 'Appends that wait for the writer, those that were answered with 504 included.'
    metrics.gauge('dossier_writer_queue_appends', help, () => store.queued?.appends ?? 0)
  }
  return store
}
