import { startDossier } from '../servers/dossier.js'
import { startPeer } from '../servers/peer.js'
import type { RunningServer } from '../servers/running-server.js'
import { compare } from './compare.js'
import type { Bench, Row } from './row.js'

/** Rows that compare the product with each peer. */
export const dossierAgainstPeers: readonly Row[] = [
  row('event-vs-echo', 'a durable event / Fastify + zod that stores nothing', 64, (bench) =>
    startPeer('echo', {}, bench.scope),
  ),
  row('event-vs-fastify-pg', 'a durable event / Fastify + pg, one statement', 64, withFastifyPg),
  row('one-connection-vs-fastify-pg', 'the same, one request at a time', 1, withFastifyPg),
]

function row(
  id: string,
  about: string,
  connections: number,
  start: (bench: Bench) => Promise<RunningServer>,
): Row {
  return {
    id,
    about,
    run: async (bench) => {
      const folder = await bench.folder()
      const [dossier, peer] = await Promise.all([
        startDossier({ name: 'dossier', folder }, bench.scope),
        start(bench),
      ])
      const load = { kind: 'event', connections } as const
      return { comparison: await compare(bench, { server: dossier, load }, { server: peer, load }) }
    },
  }
}

function withFastifyPg(bench: Bench): Promise<RunningServer> {
  return startWithPostgres('fastify-pg', bench)
}

/** Starts a peer that stores its data in the run's PostgreSQL cluster. `env` has additional settings. */
export async function startWithPostgres(
  peer: string,
  bench: Bench,
  env: Readonly<Record<string, string>> = {},
): Promise<RunningServer> {
  const { url, cpu } = await bench.postgres()
  const server = await startPeer(peer, { DATABASE_URL: url, ...env }, bench.scope)
  return { ...server, databaseCpu: cpu }
}
