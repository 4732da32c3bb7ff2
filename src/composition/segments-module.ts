import { ContainerModule } from 'inversify'
import { pause } from '../adapters/system/pause.js'
import type { Clock } from '../application/ports/clock.js'
import type { IdGenerator } from '../application/ports/id-generator.js'
import type { Log } from '../application/ports/log.js'
import { SegmentKeeper } from '../application/reading/keep-segments.js'
import type { ReadModel } from '../application/reading/ports/read-model.js'
import { servedSegments } from '../application/reading/served-segments.js'
import { segmentUseCases } from '../application/segment-use-cases.js'
import type { GuardedStore } from './guard-store.js'
import { tokens } from './tokens.js'

/** The use cases that change segments and their members. */
export const segmentsModule = new ContainerModule(({ bind }) => {
  bind(tokens.segments).toResolvedValue(
    (store, reads, clock, ids) =>
      segmentUseCases({ store, served: servedSegments(() => reads.model), clock, ids }),
    [tokens.eventStore, tokens.reads, tokens.clock, tokens.ids],
  )
  bind(tokens.segmentKeeper)
    .toResolvedValue(keepSegments, [
      tokens.eventStore,
      tokens.readModel,
      tokens.clock,
      tokens.ids,
      tokens.log,
    ])
    .onDeactivation((keeper: SegmentKeeper | undefined) => keeper?.stop())
})

function keepSegments(
  store: GuardedStore,
  model: ReadModel | undefined,
  clock: Clock,
  ids: IdGenerator,
  log: Log,
): SegmentKeeper | undefined {
  if (model === undefined) return undefined
  const keeper = new SegmentKeeper(model, { store, clock, ids, log, pause, random: Math.random })
  keeper.start()
  return keeper
}
