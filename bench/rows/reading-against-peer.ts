import { startDossier } from '../servers/dossier.js'
import { startPeer } from '../servers/peer.js'
import { caughtUp } from '../servers/read-readiness.js'
import type { RunningServer } from '../servers/running-server.js'
import { comparePrepared } from './compare.js'
import { ReadSubject, type ReadLoad } from './read-subject.js'
import { otherBuild } from './dossier-against-itself.js'
import { startWithPostgres } from './dossier-against-peer.js'
import type { Bench, Row } from './row.js'

interface Asked {
  readonly kind: ReadLoad['kind']
  /** The number of events of each entity before reading starts. */
  readonly eventsEach: number
  /** The number of entities that are read. Absent: that of the options. */
  readonly named?: number
  /** The number of entities in a smoke run, in which filling takes most of the time. */
  readonly fewNamed: number
}

/** Reads of a profile. The peers return the entity's row by its key, and do not count events. */
const profile: Asked = { kind: 'profile', eventsEach: 10, fewNamed: 50 }
/** More profiles than the service keeps in memory, so that nearly every request reads the tables. */
const manyProfiles: Asked = { ...profile, eventsEach: 1, named: 200_000 }
const page: Asked = { kind: 'timeline', eventsEach: 300, fewNamed: 10 }

/** Rows that compare reads with servers that return equal or less data. */
export const readingAgainstPeers: readonly Row[] = [
  row('get-entity', 'GET /entities/{id} / Fastify + pg, SELECT by key', profile, withReads),
  row(
    'get-entity-of-many',
    'the same among 200,000 entities / Fastify + pg',
    manyProfiles,
    withReads,
  ),
  row(
    'get-entity-vs-echo',
    'GET /entities/{id} / Fastify + zod that looks nothing up',
    { ...profile, eventsEach: 0 },
    async ({ scope }) => ({ server: await startPeer('echo', {}, scope) }),
  ),
  row(
    'events-page',
    'GET /entities/{id}/events?limit=100 / Fastify + pg, an index by entity and time',
    page,
    withReads,
  ),
  row(
    'self-get-entity',
    'GET /entities/{id}: this build / itself, or the build of --against',
    profile,
    otherDossier,
  ),
  row(
    'self-get-entity-of-many',
    'the same among 200,000 entities: this build / itself, or the build of --against',
    manyProfiles,
    otherDossier,
  ),
]

/** The other server of a row. `settled` resolves when everything written to it can be read. */
interface Other {
  readonly server: RunningServer
  readonly settled?: () => Promise<void>
}

function row(
  id: string,
  about: string,
  { kind, eventsEach, named, fewNamed }: Asked,
  start: (bench: Bench) => Promise<Other>,
): Row {
  return {
    id,
    about,
    run: async (bench) => {
      const { load, options, scope } = bench
      const folder = await bench.folder()
      const [dossier, other] = await Promise.all([
        startDossier({ name: 'dossier', folder }, scope),
        start(bench),
      ])
      const wanted = { kind, named: options.smoke ? fewNamed : (named ?? options.named) }
      const content = { eventsEach }
      const settled = () => caughtUp(dossier)
      const a = await ReadSubject.prepare(dossier, load, wanted, content, settled)
      const { server: peer, settled: peerSettled = () => Promise.resolve() } = other
      const b = await ReadSubject.prepare(peer, load, wanted, content, peerSettled)
      return { comparison: await comparePrepared(bench, a, b) }
    },
  }
}

async function withReads(bench: Bench): Promise<Other> {
  return { server: await startWithPostgres('fastify-pg', bench, { READS: 'on' }) }
}

async function otherDossier(bench: Bench): Promise<Other> {
  const folder = await bench.folder()
  const server = await startDossier({ ...otherBuild(bench.options), folder }, bench.scope)
  return { server, settled: () => caughtUp(server) }
}
