import { startDossier } from '../servers/dossier.js'
import { caughtUp } from '../servers/read-readiness.js'
import { prepare } from './compare.js'
import { figuresOf, stage, type Stage } from './lag-stage.js'
import type { Row } from './row.js'

const shareOfSaturation = 0.6

/** Measures how far reads lag behind writes, at full load and at a lower rate. */
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
