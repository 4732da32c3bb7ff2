import { join } from 'node:path'
import { compiled, givenPath } from '../places.js'
import { startDossier, type Dossier, type DossierOptions } from '../servers/dossier.js'
import { caughtUp } from '../servers/read-readiness.js'
import { compare, comparePrepared, prepare } from './compare.js'
import type { HttpLoad } from './http-subject.js'
import { Skipped } from '../skipped.js'
import type { Bench, Row } from './row.js'
import type { Subject } from './subject.js'

interface Variant
  extends
    Omit<DossierOptions, 'folder'>,
    Partial<Pick<HttpLoad, 'kind' | 'batch' | 'connections'>> {
  /** Its slices end when its read model has all of them. */
  readonly untilRead?: boolean
}

/** What a feature costs: the product twice, and one thing is different. */
export const dossierAgainstItself: readonly Row[] = [
  row('grouped-vs-single', 'one commit for all who wait / one commit a request', () => [
    { name: 'grouped' },
    { name: 'single', nodeArgs: ['--import', compiled('one-at-a-time.js')] },
  ]),
  row('entities', 'POST /entities, every id new / POST /events', () => [
    { name: 'entities', kind: 'entity' },
    { name: 'events' },
  ]),
  row('keyed-events', 'a fresh Idempotency-Key each / without a key', () => [
    { name: 'keyed', kind: 'keyed-event' },
    { name: 'unkeyed' },
  ]),
  row('patch', 'PATCH /entities/{id} / POST /events', () => [
    { name: 'changes', kind: 'patch' },
    { name: 'events' },
  ]),
  ...[100, 500].map((batch) =>
    row(`batch-${String(batch)}`, `events in batches of ${String(batch)} / one a request`, () => [
      { name: `batches of ${String(batch)}`, batch },
      { name: 'single' },
    ]),
  ),
  ...[15, 100, 250].map((batch) =>
    row(
      `tracking-${String(batch)}`,
      `/v1/batch / /batch with keys, both of ${String(batch)}`,
      () => [
        { name: `/v1/batch of ${String(batch)}`, kind: 'tracked', batch, connections: 16 },
        { name: `/batch of ${String(batch)}`, kind: 'keyed-event', batch, connections: 16 },
      ],
    ),
  ),
  row('write-with-read-model', 'with the read model / READ_MODEL=off', () => [
    { name: 'with read model', untilRead: true },
    { name: 'READ_MODEL=off', env: { READ_MODEL: 'off' } },
  ]),
  row('log-requests', 'LOG_REQUESTS=true, to /dev/null / false', () => [
    { name: 'logging', env: { LOG_REQUESTS: 'true' }, unheard: true },
    { name: 'not logging', unheard: true },
  ]),
  {
    id: 'metrics',
    about: '/metrics read once a second / not read',
    run: async (bench) => {
      const scraped = await start(bench, { name: 'scraped' })
      const metrics = `${scraped.origin}/metrics`
      if ((await fetch(metrics)).status === 404) throw new Skipped('this build has no /metrics')
      const load = { kind: 'event', connections: 64 } as const
      const a = await prepare(bench, { server: scraped, load })
      const b = await prepare(bench, { server: await start(bench, { name: 'not scraped' }), load })
      return { comparison: await comparePrepared(bench, whileScraped(a, metrics), b) }
    },
  },
  row('self', 'this build / itself, or the build of --against: about 1.0', ({ options }) => [
    { name: 'this build' },
    options.against === undefined
      ? { name: 'itself' }
      : { name: options.against, program: join(givenPath(options.against), 'dist/main.js') },
  ]),
]

function row(
  id: string,
  about: string,
  variants: (bench: Bench) => readonly [Variant, Variant],
): Row {
  return {
    id,
    about,
    run: async (bench) => {
      const [one, other] = variants(bench)
      const [a, b] = await Promise.all([side(bench, one), side(bench, other)])
      return { comparison: await compare(bench, a, b) }
    },
  }
}

async function side(bench: Bench, variant: Variant) {
  const { kind = 'event', batch, connections = 64, untilRead = false } = variant
  const server = await start(bench, variant)
  const settle = untilRead ? () => caughtUp(server) : undefined
  return { server, load: { kind, batch, connections, settle } }
}

async function start(bench: Bench, variant: Variant): Promise<Dossier> {
  return startDossier({ ...variant, folder: await bench.folder() }, bench.scope)
}

function whileScraped(subject: Subject, url: string): Subject {
  return {
    name: subject.name,
    slice: async (seconds) => {
      const scrapes: Promise<void>[] = [scrape(url)]
      const timer = setInterval(() => scrapes.push(scrape(url)), 1_000)
      try {
        return await subject.slice(seconds)
      } finally {
        clearInterval(timer)
        await Promise.all(scrapes)
      }
    },
    rss: () => subject.rss(),
    end: () => subject.end(),
  }
}

async function scrape(url: string): Promise<void> {
  const reply = await fetch(url)
  await reply.text()
  if (reply.status !== 200) throw new Error(`/metrics answered ${String(reply.status)}`)
}
