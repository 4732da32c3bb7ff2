import { BenchReadModel, measured } from '../segments/bench-read-model.js'
import { percentile } from '../report/statistics.js'
import { midnight } from '../segments/bench-facts.js'
import { segmentsOf, type BenchSegment } from '../segments/segments-of.js'
import type { Bench, Row } from './row.js'

const eventsEach = 2
const touched = 4

/** Who is in it leaves at midnight. */
const leaving: BenchSegment = {
  key: 'until-midnight',
  rule: { property: '/ends', is: { after: { ago: '1d' } } },
  sql: () => 'SELECT id FROM entities',
}

/**
 * A read with a `Position` behind midnight is answered when everybody who is due was evaluated; any other
 * read waits for the end of a slice.
 */
export const segmentsMidnight: Row = {
  id: 'segments-midnight',
  about: 'how long reads wait at an instant at which all entities leave a segment',
  long: true,
  run: async (bench) => {
    const { customers, segments } = bench.options
    const alone = await waitOf(bench, 0)
    const beside = await waitOf(bench, segments)
    const others = `beside ${String(segments)} segments`
    return {
      figures: [
        { name: 'entities', value: customers, unit: '' },
        { name: 'alone', value: alone.wall, unit: 'ms' },
        { name: 'alone, p99 of a slice', value: alone.sliceP99, unit: 'ms' },
        { name: others, value: beside.wall, unit: 'ms' },
        { name: `${others}, p99 of a slice`, value: beside.sliceP99, unit: 'ms' },
      ],
    }
  },
}

/** In milliseconds. */
async function waitOf(bench: Bench, others: number) {
  const { options, progress, scope } = bench
  const entities = options.customers
  progress.begin(`filling a read model: ${String(others)} other segments`, 1)
  const content = { entities, events: entities * eventsEach }
  const model = await BenchReadModel.filled(`${await bench.folder()}/midnight.db`, content, scope)
  await model.build([leaving, ...segmentsOf(others, touched)])
  model.apply([model.facts.timePassed(midnight - 1)])
  await membersAre(model, entities)
  let slices: readonly number[] = []
  const { wall } = await measured(async () => {
    slices = await model.applyInSlices([model.facts.timePassed(midnight)])
    await membersAre(model, 0)
  })
  model.close()
  return {
    wall,
    sliceP99: percentile(
      slices.toSorted((left, right) => left - right),
      0.99,
    ),
  }
}

async function membersAre(model: BenchReadModel, expected: number): Promise<void> {
  const members = await model.membersOf(leaving.key)
  if (members === expected) return
  throw new Error(`${String(members)} members instead of ${String(expected)}`)
}
