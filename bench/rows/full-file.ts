import { dataFile, factsIn, startDossier, type Dossier } from '../servers/dossier.js'
import { readsAnswered } from '../servers/read-readiness.js'
import { median } from '../report/statistics.js'
import { compare } from './compare.js'
import type { Bench, Row } from './row.js'

/** A start is measured so often; in a smoke run once. */
const defaultStarts = 3

/** A long life: the same load on a file with many facts and on one with next to none. */
export const fullFile: readonly Row[] = [
  row('full-file', 'a full file, 1,000 of its entities named / an empty one', ({ named }) => named),
  row(
    'full-file-everywhere',
    'a full file, all its entities named / an empty one',
    ({ entities }) => entities,
  ),
]

function row(id: string, about: string, named: (options: Bench['options']) => number): Row {
  return {
    id,
    about,
    long: true,
    run: async (bench) => {
      const { entities } = bench.options
      const folder = await bench.fullFile()
      const filled = { facts: factsIn(dataFile(folder)), entities }
      const full = await startOften('full file', folder, bench)
      const empty = await startOften('empty file', await bench.folder(), bench)
      const load = { kind: 'event', connections: 64 } as const
      const a = { server: full.dossier, load, filled, named: named(bench.options) }
      const comparison = await compare(bench, a, { server: empty.dossier, load })
      return {
        comparison,
        figures: [
          { name: 'facts in the full file', value: filled.facts, unit: '' },
          { name: 'entities in the full file', value: entities, unit: '' },
          { name: 'start on the full file', value: full.startMs, unit: 'ms' },
          { name: 'start on the empty file', value: empty.startMs, unit: 'ms' },
        ],
      }
    },
  }
}

interface Started {
  readonly dossier: Dossier
  /** The middle one of its starts. */
  readonly startMs: number
}

async function startOften(name: string, folder: string, bench: Bench): Promise<Started> {
  const { scope, options } = bench
  const starts = options.smoke ? 1 : defaultStarts
  const times: number[] = []
  for (;;) {
    const dossier = await startDossier({ name, folder }, scope)
    times.push(dossier.startMs)
    if (times.length === starts) {
      await readsAnswered(dossier)
      return { dossier, startMs: median(times) }
    }
    await dossier.end()
  }
}
