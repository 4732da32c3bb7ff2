import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import { defineSegments } from '../segments/define-segments.js'
import { dataFile, factsIn, factsOfEntitiesIn, startDossier } from '../servers/dossier.js'
import { caughtUp } from '../servers/read-readiness.js'
import type { RunningServer } from '../servers/running-server.js'
import { comparePrepared, prepare } from './compare.js'
import type { Bench, Row } from './row.js'
import type { Subject } from './subject.js'

/** So many segments are concerned by each event. */
const segmentsOfEvent = 4
/** So few that each has many events in a slice; more than there are connections, so that they come in order. */
const named = 100
/** How long no fact comes when all is published. */
const quietMs = 250

/** What it costs to publish changes: what they are found by costs both sides the same. */
export const segmentsChanging: Row = {
  id: 'segments-changing',
  about: `each event turns ${String(segmentsOfEvent)} segments / concerns as many and turns none`,
  long: true,
  run: async (bench) => {
    const changes = await side(bench, 'turning', [true])
    const stays = await side(bench, 'turning none', [true, false])
    const comparison = await comparePrepared(bench, changes.subject, stays.subject)
    const published = factsIn(changes.file) - factsOfEntitiesIn(changes.file)
    const events = factsOfEntitiesIn(changes.file) - named
    return {
      comparison,
      figures: [{ name: 'facts published an event', value: published / events, unit: '' }],
    }
  },
}

/** At the rate of the options; a slice's CPU is counted until all is published. */
async function side(bench: Bench, name: string, isIn: readonly boolean[]) {
  const { scope, options } = bench
  const folder = await bench.folder()
  const file = dataFile(folder)
  const started = await startDossier({ name, folder }, scope)
  const server = { ...started, stored: () => factsOfEntitiesIn(file) }
  const settle = () => quiet(server)
  const load = { kind: 'change', connections: 64, settle } as const
  const subject = await prepare(bench, { server, load, named })
  const segments = Array.from({ length: segmentsOfEvent }, (_, n) => {
    const rule = { event: 'change', last: { '/in': { in: isIn }, '/quantity': { gt: n } } }
    return { key: `changing-${String(n)}`, rule }
  })
  await defineSegments(server, segments)
  const atRate: Subject = {
    name,
    slice: (seconds) => subject.sliceAt(seconds, options.rate),
    rss: () => subject.rss(),
    end: () => subject.end(),
  }
  return { subject: atRate, file }
}

async function quiet(server: RunningServer): Promise<void> {
  let known = ''
  for (;;) {
    await caughtUp(server)
    const now = await positionOf(server)
    if (now === known) return
    known = now
    await pause(quietMs)
  }
}

async function positionOf({ name, origin, key }: RunningServer): Promise<string> {
  const headers = { authorization: `Bearer ${key}` }
  const reply = await fetch(`${origin}/entities/customer-0`, { headers })
  const text = await reply.text()
  const { data } = z.string().safeParse(reply.headers.get('position'))
  if (reply.ok && data !== undefined) return data
  throw new Error(`${name} answered ${String(reply.status)} ${text}`)
}
