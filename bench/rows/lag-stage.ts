import { median, percentile } from '../report/statistics.js'
import type { Dossier } from '../servers/dossier.js'
import { caughtUp } from '../servers/read-readiness.js'
import type { HttpSubject } from './http-subject.js'
import { LagProbe } from './lag-probe.js'
import type { Slice } from './subject.js'

/** The result of one stage: its lags, its slice, and how long afterwards everything could be read. */
export interface Stage {
  readonly lags: readonly number[]
  readonly slice: Slice
  readonly behindMs: number
}

/** Runs one slice of load, and measures the lag during the slice. */
export async function stage(
  server: Dossier,
  subject: HttpSubject,
  load: () => Promise<Slice>,
): Promise<Stage> {
  const { lags, result } = await new LagProbe(server).during(async () => {
    const slice = await load()
    const begun = performance.now()
    await caughtUp(server)
    return { slice, behindMs: performance.now() - begun }
  })
  subject.tookMore(lags.length)
  return { lags, ...result }
}

export function figuresOf(when: string, stages: readonly Stage[]) {
  const lags = stages.flatMap((one) => one.lags).toSorted((left, right) => left - right)
  const behind = stages.map(({ behindMs }) => behindMs)
  const figure = (name: string, value: number, unit: string) => ({
    name: `${when}: ${name}`,
    value,
    unit,
  })
  return [
    figure('events a second', median(stages.map(({ slice }) => slice.perSecond)), ''),
    figure('lag p50', percentile(lags, 0.5), 'ms'),
    figure('lag p99', percentile(lags, 0.99), 'ms'),
    figure('largest lag', lags.at(-1) ?? 0, 'ms'),
    figure('events whose lag was measured', lags.length, ''),
    figure('caught up after the load, median', median(behind), 'ms'),
    figure('caught up after the load, longest', Math.max(...behind), 'ms'),
  ]
}
