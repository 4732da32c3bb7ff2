import { followFactsUseCase } from './follow-facts.js'
import type { ReadModel } from './ports/read-model.js'
import { readFactsUseCase } from './read-facts.js'
import { checkReadsUseCase, readUseCase } from './reads.js'

export type ReadingUseCases = Readonly<ReturnType<typeof readingUseCases>>

/** All reads of a read model. */
export function readingUseCases(readModel: ReadModel) {
  return {
    read: readUseCase(readModel),
    readFacts: readFactsUseCase(readModel),
    followFacts: followFactsUseCase(readModel),
    checkReads: checkReadsUseCase(readModel),
    status: () => readModel.status,
  }
}
