import { median, percentile } from '../report/statistics.js'
import { startDossier, type Dossier } from '../servers/dossier.js'
import { caughtUp } from '../servers/read-readiness.js'
import { prepare } from './compare.js'
import type { HttpSubject } from './http-subject.js'
import { LagProbe } from './lag-probe.js'
import type { Row } from './row.js'
import type { Slice } from './subject.js'

const shareOfSaturation = 0.6

/** What one stage showed: its lags, its slice, and how long after it everything could be read. */
interface Stage {
  readonly lags: readonly number[]
  readonly slice: Slice
  readonly behindMs: number
}

/** How far reading is behind, at full load and at a rate that leaves room. */
export const lag: Row = {
  id: 'lag',
  about: 'from the reply to a write until reads know it, at saturation and at 60 % of it',
  run: async (bench) => {
    const { options, progress, scope } = bench
    const server = await startDossier({ name: 'dossier', folder: await bench.folder() }, scope)
    const subject = await prepare(bench, { server, load: { kind: 'event', connections: 64 } })
    await subject.slice(options.warmUpSeconds)
    await caughtUp(server)
    const saturated: Stage[] = []
    const steady: Stage[] = []
    while (steady.length < options.slices) {
      const full = await stage(server, subject, () => subject.slice(options.seconds))
      const perSecond = full.slice.perSecond * shareOfSaturation
      saturated.push(full)
      progress.done(1)
      steady.push(await stage(server, subject, () => subject.sliceAt(options.seconds, perSecond)))
      progress.done(1)
    }
    await subject.end()
    return {
      figures: [...figuresOf('at saturation', saturated), ...figuresOf('at 60 % of it', steady)],
    }
  },
}

async function stage(
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

function figuresOf(when: string, stages: readonly Stage[]) {
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
