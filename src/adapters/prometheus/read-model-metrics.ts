import type { ReadModel } from '../../application/reading/ports/read-model.js'
import type { AppendMetrics } from './append-metrics.js'
import { ReadLag } from './read-metrics.js'
import type { Series } from './series.js'

const lookEveryMs = 1_000

/**
 * Shows how far a read model is. What was seen to be stored is what this process was acknowledged, and
 * where the log was last said to end; the store is not read for it. Returns what ends that.
 */
export function showReadModel(
  model: ReadModel,
  series: Series,
  appends: Pick<AppendMetrics, 'newestPosition' | 'forgetPosition'>,
): () => void {
  let { builds } = model.status
  const lag = new ReadLag(() => {
    const { status } = model
    if (status.builds !== builds) appends.forgetPosition()
    builds = status.builds
    return {
      reached: status.reached,
      newest: Math.max(status.newest, appends.newestPosition),
    }
  })
  const timer = setInterval(() => {
    lag.sampleProgress()
  }, lookEveryMs).unref()
  showLag(series, lag)
  showStatus(series, model)
  showSegments(series, model)
  series.counter(
    'dossier_read_model_builds_total',
    'How often it was begun from the beginning of the log, since this process started.',
    () => model.status.builds,
  )
  return () => {
    clearInterval(timer)
  }
}

function showLag(series: Series, lag: ReadLag): void {
  series.gauge(
    'dossier_read_model_lag_seconds',
    'How long the oldest fact has waited that is known and not applied, to about a second; else 0.',
    () => lag.seconds,
  )
  series.gauge(
    'dossier_read_model_lag_positions',
    'From what is applied to the newest position that is known: facts, or bytes of EventStoreDB.',
    () => lag.positions,
  )
}

function showStatus(series: Series, model: ReadModel): void {
  series.gauge(
    'dossier_read_model_position',
    'Of the last fact that is applied; 0 when there is none.',
    () => model.status.applied.position,
  )
  series.gauge(
    'dossier_read_model_log_time_seconds',
    'The highest time that a fact was recorded at, of those applied, in seconds since 1970.',
    () => model.status.logTime / 1_000,
  )
  series.gauge(
    'dossier_read_model_building',
    '1 while it is built from the beginning of the log, and reads are refused; else 0.',
    () => Number(model.status.isBuilding),
  )
  series.gauge(
    'dossier_read_model_stalled',
    '1 while it cannot go on with the log, and tries again; else 0. The log has the reason.',
    () => Number(model.status.trouble !== undefined),
  )
}

function showSegments(series: Series, model: ReadModel): void {
  const figure = (name: string) => model.status.segments?.figures[name]
  series.gauge(
    'dossier_segments_unpublished',
    'Membership changes in the outbox: derived here, and not in the log yet.',
    () => figure('unpublishedChanges') ?? 0,
  )
  series.gauge(
    'dossier_segments_unpublished_seconds',
    'How long ago the first membership change happened that can be published now; 0 when there is none.',
    () => secondsSince(figure('unpublishedSince')),
  )
  series.gauge(
    'dossier_segments_diverged',
    'Segments of which the log has other membership changes than were derived here.',
    () => figure('diverged') ?? 0,
  )
}

function secondsSince(instant: number | undefined): number {
  return instant === undefined ? 0 : Math.max(0, Date.now() - instant) / 1_000
}
