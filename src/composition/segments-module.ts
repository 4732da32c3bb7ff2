import { ContainerModule } from 'inversify'
import { servedSegments } from '../application/reading/served-segments.js'
import { segmentUseCases } from '../application/segment-use-cases.js'
import { tokens } from './tokens.js'

/** The use cases that change segments and their members. */
export const segmentsModule = new ContainerModule(({ bind }) => {
  bind(tokens.segments).toResolvedValue(
    (store, reads, clock, ids) =>
      segmentUseCases({ store, served: servedSegments(() => reads.model), clock, ids }),
    [tokens.eventStore, tokens.reads, tokens.clock, tokens.ids],
  )
})
