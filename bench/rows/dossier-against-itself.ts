import { join } from 'node:path'
import type { Options } from '../options.js'
import { givenPath } from '../places.js'
import { startDossier, type Dossier, type DossierOptions } from '../servers/dossier.js'
import { caughtUp } from '../servers/read-readiness.js'
import { compare } from './compare.js'
import type { HttpLoad } from './http-subject.js'
import type { Bench, Row } from './row.js'

interface Variant
  extends
    Omit<DossierOptions, 'folder'>,
    Partial<Pick<HttpLoad, 'kind' | 'batch' | 'connections'>> {
  /** Whether a slice ends only when the read model has applied all facts. */
  readonly untilRead?: boolean
}

/** Rows that show the cost of a feature: two instances of the product that differ in one setting. */
export const dossierAgainstItself: readonly Row[] = [
  row('keyed-events', 'a fresh Idempotency-Key each / without a key', () => [
    { name: 'keyed', kind: 'keyed-event' },
    { name: 'unkeyed' },
  ]),
  ...[100, 500].map((batch) =>
    row(`batch-${String(batch)}`, `events in batches of ${String(batch)} / one a request`, () => [
      { name: `batches of ${String(batch)}`, batch },
      { name: 'single' },
    ]),
  ),
  row('tracking-100', '/v1/batch / /batch with keys, both of 100', () => [
    { name: '/v1/batch of 100', kind: 'tracked', batch: 100, connections: 16 },
    { name: '/batch of 100', kind: 'keyed-event', batch: 100, connections: 16 },
  ]),
  row('write-with-read-model', 'with the read model / READ_MODEL=off', () => [
    { name: 'with read model', untilRead: true },
    { name: 'READ_MODEL=off', env: { READ_MODEL: 'off' } },
  ]),
  selfRow('self', 'events', {}),
  selfRow('self-one-connection', 'events over one connection', { connections: 1 }),
  selfRow('self-batch-500', 'events in batches of 500', { batch: 500 }),
]

/** A row that compares this build with another build of the product, or with itself. */
function selfRow(id: string, what: string, load: Pick<Variant, 'batch' | 'connections'>): Row {
  const about = `${what}: this build / itself, or the build of --against`
  return row(id, about, ({ options }) => [
    { name: 'this build', ...load },
    { ...otherBuild(options), ...load },
  ])
}

/** The build of `--against`, or this build. */
export function otherBuild({
  against,
}: Pick<Options, 'against'>): Pick<DossierOptions, 'name' | 'program'> {
  return against === undefined
    ? { name: 'itself' }
    : { name: against, program: join(givenPath(against), 'dist/main.js') }
}

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
