import { BenchReadModel } from '../segments/bench-read-model.js'
import { segmentsOf } from '../segments/segments-of.js'
import type { Row } from './row.js'

const count = 50
const touched = 25

/** Segments that are defined when there are many facts. */
export const segmentsBuild: Row = {
  id: 'segments-build',
  about: `building ${String(count)} segments of many facts, a tenth of them entities`,
  long: true,
  run: async (bench) => {
    const { options, progress, scope } = bench
    const entities = Math.ceil(options.building / 10)
    const events = options.building - entities
    progress.begin(`filling a read model with ${String(options.building)} facts`, 1)
    const path = `${await bench.folder()}/build.db`
    const model = await BenchReadModel.filled(path, { entities, events }, scope)
    progress.begin(`building ${String(count)} segments`, 1)
    const { wall, cpu } = await model.build(segmentsOf(count, touched))
    progress.end()
    return {
      figures: [
        { name: 'facts', value: options.building, unit: '' },
        { name: 'entities', value: entities, unit: '' },
        { name: 'built in', value: wall / 1_000, unit: 's' },
        { name: 'facts a second', value: (options.building * 1_000) / wall, unit: '' },
        { name: 'CPU', value: cpu / options.building, unit: 'µs a fact' },
      ],
    }
  },
}
