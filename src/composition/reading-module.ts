import { ContainerModule } from 'inversify'
import { FairReads } from '../application/reading/fair-reads.js'
import type { ReadModel } from '../application/reading/ports/read-model.js'
import { readingUseCases } from '../application/reading/reading-use-cases.js'
import { openReadModel } from './read-model.js'
import { tokens } from './tokens.js'

/** What is read: the read model, which opens when it is first asked for, after the store. */
export const readingModule = new ContainerModule(({ bind }) => {
  bind(tokens.reads).toConstantValue({ model: undefined })
  bind(tokens.readModel)
    .toResolvedValue(
      async (settings, store, log, metrics, reads) => {
        const model = await openReadModel(settings, store, log)
        reads.model = model === undefined ? undefined : metrics.reading(new FairReads(model))
        return reads.model
      },
      [tokens.settings, tokens.openStore, tokens.log, tokens.metrics, tokens.reads],
    )
    .onDeactivation((model: ReadModel | undefined) => model?.close())
  bind(tokens.reading).toResolvedValue(
    (model) => (model === undefined ? undefined : readingUseCases(model)),
    [tokens.readModel],
  )
})
