import { setImmediate as turn } from 'node:timers/promises'
import { median } from '../report/statistics.js'
import { BenchReadModel, measured } from '../segments/bench-read-model.js'
import { segmentsOf } from '../segments/segments-of.js'
import type { Bench, Row } from './row.js'

const variants = [
  { name: 'no segments', count: 0, touched: 0 },
  { name: '10 segments, 4 touched', count: 10, touched: 4 },
  { name: '100 segments, 4 touched', count: 100, touched: 4 },
  { name: '100 segments, all touched', count: 100, touched: 100 },
]

const eventsEach = 10
const factsOfPage = 60
/**
 * The number of pages after which the read model commits. A slice ends with a commit and leaves no work behind.
 */
const pagesOfCommit = 334
const defaultCommits = 1

interface Variant {
  readonly name: string
  readonly model: BenchReadModel
  /** The CPU time per fact of each slice, in µs. */
  readonly slices: number[]
}

/** Measures the cost of segments for each new fact and each stored entity. */
export const segmentsFact: Row = {
  id: 'segments-fact',
  about: 'CPU of the read model for each fact, and its size, with and without segments',
  long: true,
  run: async (bench) => {
    const { options, progress } = bench
    const entities = options.customers
    const prepared = await prepareAll(bench)
    const commits = options.smoke ? 1 : defaultCommits
    progress.begin('applying events', options.slices)
    // The first slice of each variant is a warm-up.
    for (let slice = 0; slice <= options.slices; slice += 1) {
      for (const variant of prepared) await applySlice(variant, slice, commits)
      progress.done(1)
    }
    progress.end()
    return {
      figures: [
        { name: 'entities', value: entities, unit: '' },
        ...prepared.map(({ name, slices }) => ({
          name,
          value: median(slices.slice(1)),
          unit: 'CPU µs a fact',
        })),
        ...prepared.map(({ name, model }) => {
          model.close()
          return { name, value: model.bytes() / entities, unit: 'bytes an entity' }
        }),
      ],
    }
  },
}

async function prepareAll(bench: Bench): Promise<Variant[]> {
  const { options, progress, scope } = bench
  const content = { entities: options.customers, events: options.customers * eventsEach }
  const path = await bench.folder()
  const prepared: Variant[] = []
  for (const [at, { name, count, touched }] of variants.entries()) {
    progress.begin(`filling a read model: ${name}`, 1)
    const model = await BenchReadModel.filled(`${path}/${String(at)}.db`, content, scope)
    await model.build(segmentsOf(count, touched))
    prepared.push({ name, model, slices: [] })
  }
  return prepared
}

async function applySlice({ model, slices }: Variant, slice: number, commits: number) {
  const count = commits * pagesOfCommit
  const pages = Array.from({ length: count }, (_, page) =>
    Array.from({ length: factsOfPage }, (__, at) =>
      model.facts.live((slice * count + page) * factsOfPage + at),
    ),
  )
  await turn()
  const { cpu } = await measured(() => {
    for (const page of pages) model.apply(page)
    return Promise.resolve()
  })
  slices.push(cpu / (count * factsOfPage))
}
