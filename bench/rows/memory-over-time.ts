import { setTimeout as pause } from 'node:timers/promises'
import { startDossier } from '../servers/dossier.js'
import { median } from '../report/statistics.js'
import { prepare } from './compare.js'
import { Skipped } from '../skipped.js'
import type { Row } from './row.js'
import type { HttpSubject } from './http-subject.js'

const parts = 100
const readings = 9
const betweenReadingsMs = 100

/** Does one process grow with what it has taken? */
export const memoryOverTime: Row = {
  id: 'memory-over-time',
  about: 'memory of one process after many events, against after a hundredth of them',
  long: true,
  run: async (bench) => {
    const { options, progress, scope } = bench
    const server = await startDossier({ name: 'dossier', folder: await bench.folder() }, scope)
    const subject = await prepare(bench, { server, load: { kind: 'event', connections: 64 } })
    const part = Math.ceil(options.events / parts)
    progress.begin(`sending ${String(part * parts)} events`, parts)
    let early = 0
    for (let sent = 0; sent < parts; sent += 1) {
      await subject.sendMany(part)
      if (sent === 0) early = await memoryOf(subject)
      progress.done(1)
    }
    const late = await memoryOf(subject)
    await subject.end()
    return {
      figures: [
        { name: `RSS after ${String(part)} events`, value: early, unit: 'MB' },
        { name: `RSS after ${String(part * parts)} events`, value: late, unit: 'MB' },
        { name: 'RSS late / early', value: late / early, unit: '×' },
      ],
    }
  },
}

/** The middle of some readings: it moves with the garbage. */
async function memoryOf(subject: HttpSubject): Promise<number> {
  const found: number[] = []
  while (found.length < readings) {
    const rss = subject.rss()
    if (rss === undefined) throw new Skipped('the memory of another process is read from /proc')
    found.push(rss)
    await pause(betweenReadingsMs)
  }
  return median(found)
}
