import { median, percentile } from '../report/statistics.js'
import { defineSegments } from '../segments/define-segments.js'
import { changing } from '../segments/change-probe.js'
import { segmentsOf } from '../segments/segments-of.js'
import { PublicationProbe } from '../segments/publication-probe.js'
import { dataFile, factsOfEntitiesIn, startDossier } from '../servers/dossier.js'
import { caughtUp } from '../servers/read-readiness.js'
import { prepare } from './compare.js'
import type { Row } from './row.js'

const touched = 4
/** What the load records. */
const name = 'purchase'

/** How soon who enters or leaves is published. */
export const segmentsLateness: Row = {
  id: 'segments-lateness',
  about: 'with segments, at a rate of events: from the reply to one until the feed has its change',
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
    const probe = new PublicationProbe(server, scope)
    const waits: number[] = []
    const rates: number[] = []
    while (rates.length < options.slices) {
      const come = await probe.during(() => subject.sliceAt(options.seconds, rate))
      subject.tookMore(come.waits.length)
      waits.push(...come.waits)
      rates.push(come.result.perSecond)
      await caughtUp(server)
      progress.done(2)
    }
    await subject.end()
    waits.sort((left, right) => left - right)
    return {
      figures: [
        { name: 'segments', value: segments, unit: '' },
        { name: 'entities', value: named, unit: '' },
        { name: 'events a second', value: median(rates), unit: '' },
        { name: 'until published, p50', value: percentile(waits, 0.5), unit: 'ms' },
        { name: 'p99', value: percentile(waits, 0.99), unit: 'ms' },
        { name: 'largest', value: waits.at(-1) ?? 0, unit: 'ms' },
        { name: 'changes', value: waits.length, unit: '' },
      ],
    }
  },
}
