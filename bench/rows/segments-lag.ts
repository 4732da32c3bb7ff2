import { percentile } from '../report/statistics.js'
import { defineSegments } from '../segments/define-segments.js'
import { ChangeProbe, changing } from '../segments/change-probe.js'
import { segmentsOf } from '../segments/segments-of.js'
import { dataFile, factsOfEntitiesIn, startDossier } from '../servers/dossier.js'
import { caughtUp } from '../servers/read-readiness.js'
import { prepare } from './compare.js'
import { figuresOf, stage, type Stage } from './lag-stage.js'
import type { Row } from './row.js'

const touched = 4
/** What the load records. */
const name = 'purchase'

/** How far reading is behind with segments, and how soon who changes is seen to. */
export const segmentsLag: Row = {
  id: 'segments-lag',
  about: 'with segments, at a rate of events: lag, and from POST until its change is read',
  long: true,
  run: async (bench) => {
    const { options, progress, scope } = bench
    const { customers: named, segments, rate } = options
    const folder = await bench.folder()
    const started = await startDossier({ name: 'dossier', folder }, scope)
    const server = { ...started, stored: () => factsOfEntitiesIn(dataFile(folder)) }
    const load = { kind: 'event', connections: 64 } as const
    const subject = await prepare(bench, { server, load, named })
    await defineSegments(server, [changing, ...segmentsOf(segments, touched, name)])
    await subject.sliceAt(options.warmUpSeconds, rate)
    await caughtUp(server)
    const stages: Stage[] = []
    const changes: number[] = []
    while (stages.length < options.slices) {
      const { waits, result } = await new ChangeProbe(server).during(() =>
        stage(server, subject, () => subject.sliceAt(options.seconds, rate)),
      )
      subject.tookMore(waits.length)
      stages.push(result)
      changes.push(...waits)
      progress.done(1)
    }
    await subject.end()
    changes.sort((left, right) => left - right)
    const when = `${String(segments)} segments, ${String(named)} entities`
    return {
      figures: [
        ...figuresOf(when, stages),
        { name: 'POST until its change is read, p50', value: percentile(changes, 0.5), unit: 'ms' },
        {
          name: 'POST until its change is read, p99',
          value: percentile(changes, 0.99),
          unit: 'ms',
        },
        { name: 'changes', value: changes.length, unit: '' },
      ],
    }
  },
}
