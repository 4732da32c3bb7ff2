import { startDossier } from '../servers/dossier.js'
import { startPeer } from '../servers/peer.js'
import { caughtUp } from '../servers/read-readiness.js'
import type { RunningServer } from '../servers/running-server.js'
import { comparePrepared } from './compare.js'
import { ReadSubject, type ReadLoad } from './read-subject.js'
import { startWithPostgres } from './dossier-against-peer.js'
import type { Bench, Row } from './row.js'

interface Asked {
  readonly kind: ReadLoad['kind']
  /** The number of events of each entity before reading starts. */
  readonly eventsEach: number
  /** The number of entities in a smoke run, in which filling takes most of the time. */
  readonly fewNamed: number
}

/** Reads of a profile. The peers return the entity's row by its key, and do not count events. */
const profile: Asked = { kind: 'profile', eventsEach: 10, fewNamed: 50 }
const page: Asked = { kind: 'timeline', eventsEach: 300, fewNamed: 10 }

/** Rows that compare reads with servers that return equal or less data. */
export const readingAgainstPeers: readonly Row[] = [
  row('get-entity', 'GET /entities/{id} / Fastify + pg, SELECT by key', profile, withReads),
  row(
    'get-entity-vs-echo',
    'GET /entities/{id} / Fastify + zod that looks nothing up',
    { ...profile, eventsEach: 0 },
    ({ scope }) => startPeer('echo', {}, scope),
  ),
  row(
    'events-page',
    'GET /entities/{id}/events?limit=100 / Fastify + pg, an index by entity and time',
    page,
    withReads,
  ),
]

function row(
  id: string,
  about: string,
  { kind, eventsEach, fewNamed }: Asked,
  start: (bench: Bench) => Promise<RunningServer>,
): Row {
  return {
    id,
    about,
    run: async (bench) => {
      const { load, options, scope } = bench
      const folder = await bench.folder()
      const [dossier, peer] = await Promise.all([
        startDossier({ name: 'dossier', folder }, scope),
        start(bench),
      ])
      const wanted = { kind, named: options.smoke ? fewNamed : options.named }
      const content = { eventsEach }
      const settled = () => caughtUp(dossier)
      const a = await ReadSubject.prepare(dossier, load, wanted, content, settled)
      const b = await ReadSubject.prepare(peer, load, wanted, content, () => Promise.resolve())
      return { comparison: await comparePrepared(bench, a, b) }
    },
  }
}

function withReads(bench: Bench): Promise<RunningServer> {
  return startWithPostgres('fastify-pg', bench, { READS: 'on' })
}
