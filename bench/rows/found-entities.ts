import { dataFile, startDossier } from '../servers/dossier.js'
import { caughtUp, readsAnswered } from '../servers/read-readiness.js'
import { comparePrepared } from './compare.js'
import { fillFile } from './fill-file.js'
import { ReadSubject, type ReadLoad } from './read-subject.js'
import type { Bench, Row } from './row.js'

const few = 1_000

/** Entities found by their id and by a property, among many and among few. */
export const foundEntities: readonly Row[] = [
  row('found-by-id', 'GET /entities?starts_with=…, 10 items'),
  row('found-by-property', 'GET /entities?property=/email&is=…, 1 item'),
]

function row(kind: ReadLoad['kind'], about: string): Row {
  return {
    id: kind,
    about: `${about}: of many entities / of ${String(few)}`,
    long: true,
    run: async (bench) => {
      const { entities } = bench.options
      const a = await filled('many', kind, Math.max(few, entities), bench)
      const b = await filled('few', kind, few, bench)
      const comparison = await comparePrepared(bench, a, b)
      return { comparison, figures: [{ name: 'entities', value: entities, unit: '' }] }
    },
  }
}

async function filled(name: string, kind: ReadLoad['kind'], entities: number, bench: Bench) {
  const { load, options, progress, scope } = bench
  const folder = await bench.folder()
  const content = { facts: entities, entities }
  await fillFile(dataFile(folder), content, progress, (id) => ({ email: `${id}@example.com` }))
  const server = await startDossier({ name, folder }, scope)
  await readsAnswered(server)
  const wanted = { kind, named: options.named }
  return ReadSubject.prepare(server, load, wanted, content, () => caughtUp(server))
}
