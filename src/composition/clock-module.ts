import { ContainerModule } from 'inversify'
import type { Metrics } from '../adapters/prometheus/metrics.js'
import { pause } from '../adapters/system/pause.js'
import type { Clock } from '../application/ports/clock.js'
import type { Log } from '../application/ports/log.js'
import type { ReadModel } from '../application/reading/ports/read-model.js'
import { LogTimeWatch } from '../application/reading/watch-log-time.js'
import { ClockGuard } from '../application/recording/clock-guard.js'
import type { StoreTime } from '../application/recording/ports/store-time.js'
import type { OpenStore } from './store-kind.js'
import { tokens } from './tokens.js'

/** What our clock is compared with: the store's clock where it has one, else log time. */
export const clockModule = new ContainerModule(({ bind }) => {
  bind(tokens.clockGuard)
    .toResolvedValue(guardClock, [tokens.openStore, tokens.clock, tokens.log, tokens.metrics])
    .onDeactivation((guard: ClockGuard | undefined) => guard?.stop())
  bind(tokens.logTimeWatch)
    .toResolvedValue(watchLogTime, [
      tokens.openStore,
      tokens.readModel,
      tokens.clock,
      tokens.log,
      tokens.metrics,
    ])
    .onDeactivation((watch: LogTimeWatch | undefined) => watch?.stop())
})

async function guardClock(
  store: OpenStore,
  clock: Clock,
  log: Log,
  metrics: Metrics,
): Promise<ClockGuard | undefined> {
  if (!hasTime(store)) return undefined
  const guard = new ClockGuard(store, { clock, log, pause })
  metrics.gauge(
    'dossier_clock_trusted',
    "1; 0 while writes are refused because this clock and the store's are too far apart.",
    () => (guard.isTrusted ? 1 : 0),
  )
  metrics.gauge(
    'dossier_clock_offset_seconds',
    "By how much this clock is ahead of the store's, to about a second, at the latest reply.",
    () => inSeconds(guard.offset),
  )
  await guard.start()
  return guard
}

function watchLogTime(
  store: OpenStore,
  readModel: ReadModel | undefined,
  clock: Clock,
  log: Log,
  metrics: Metrics,
): LogTimeWatch | undefined {
  if (hasTime(store) || readModel === undefined) return undefined
  const watch = new LogTimeWatch(readModel, { clock, log, pause })
  metrics.gauge(
    'dossier_clock_behind_log_seconds',
    'By how much this clock is behind the latest time of a fact; 0 when it is not.',
    () => watch.behindMs / 1_000,
  )
  watch.start()
  return watch
}

function hasTime(store: OpenStore): store is OpenStore & StoreTime {
  return store.dateOfReply !== undefined
}

function inSeconds(milliseconds: number | undefined): number | undefined {
  return milliseconds === undefined ? undefined : milliseconds / 1_000
}
