import type { ReadModel } from '../../application/reading/ports/read-model.js'
import type { AppendMetrics } from './append-metrics.js'
import { ReadLag } from './read-metrics.js'
import type { Series } from './series.js'

const sampleEveryMs = 1_000

/**
 * Adds metrics of the read model's progress. Returns a function that stops the sampling. The newest
 * position is the larger of two known positions: the last one acknowledged to this process, and the
 * last reported end of the log. So these metrics never read the store.
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
  }, sampleEveryMs).unref()
  showLag(series, lag)
  showStatus(series, model)
  showSegments(series, model)
  showDictionary(series, model)
  series.counter(
    'dossier_read_model_builds_total',
    'Rebuilds from the beginning of the log since this process started.',
    () => model.status.builds,
  )
  return () => {
    clearInterval(timer)
  }
}

function showLag(series: Series, lag: ReadLag): void {
  series.gauge(
    'dossier_read_model_lag_seconds',
    'Waiting time of the oldest unapplied fact, to about a second; 0 when all are applied.',
    () => lag.seconds,
  )
  series.gauge(
    'dossier_read_model_lag_positions',
    'Distance from the applied position to the newest known one: facts, or bytes with EventStoreDB.',
    () => lag.positions,
  )
}

function showStatus(series: Series, model: ReadModel): void {
  series.gauge(
    'dossier_read_model_position',
    'Position of the last applied fact; 0 when there is none.',
    () => model.status.applied.position,
  )
  series.gauge(
    'dossier_read_model_log_time_seconds',
    'Log time: the highest recording time of the applied facts, in seconds since 1970.',
    () => model.status.logTime / 1_000,
  )
  series.gauge(
    'dossier_read_model_building',
    '1 while the read model is rebuilt and reads are refused; else 0.',
    () => Number(model.status.isBuilding),
  )
  series.gauge(
    'dossier_read_model_stalled',
    '1 while following the fact log fails and is retried; else 0. The application log has the reason.',
    () => Number(model.status.trouble !== undefined),
  )
}

function showSegments(series: Series, model: ReadModel): void {
  const figure = (name: string) => model.status.segments?.figures[name]
  series.gauge(
    'dossier_segments_unpublished',
    'Membership changes in the outbox: derived here, but not in the fact log yet.',
    () => figure('unpublishedChanges') ?? 0,
  )
  series.gauge(
    'dossier_segments_unpublished_seconds',
    'Age of the oldest membership change that can be published now; 0 when there is none.',
    () => secondsSince(figure('unpublishedSince')),
  )
  series.gauge(
    'dossier_segments_diverged',
    'Segments whose membership changes in the fact log differ from those derived here.',
    () => figure('diverged') ?? 0,
  )
}

function showDictionary(series: Series, model: ReadModel): void {
  series.gauge(
    'dossier_dictionary_names',
    'Event names in the dictionary, which takes 10,000; absent while the read model is rebuilt.',
    () => model.status.dictionary?.names,
  )
  series.gauge(
    'dossier_dictionary_full',
    '1 after an event name was left out of the dictionary, until the read model is rebuilt; else 0.',
    () => {
      const { dictionary } = model.status
      return dictionary && Number(dictionary.isFull)
    },
  )
}

function secondsSince(instant: number | undefined): number {
  return instant === undefined ? 0 : Math.max(0, Date.now() - instant) / 1_000
}
