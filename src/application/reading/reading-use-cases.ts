import type { RulePreviewer } from './preview-rule.js'
import type { PreviewRequest } from './preview-steps.js'
import { followFactsUseCase } from './follow-facts.js'
import type { ReadModel } from './ports/read-model.js'
import { readFactsUseCase } from './read-facts.js'
import { checkReadsUseCase, readUseCase } from './reads.js'
import type { ReadWant } from './want.js'

export type ReadingUseCases = Readonly<ReturnType<typeof readingUseCases>>

/** All reads of a read model. */
export function readingUseCases(readModel: ReadModel, previewer: Pick<RulePreviewer, 'begin'>) {
  return {
    read: readUseCase(readModel),
    readFacts: readFactsUseCase(readModel),
    followFacts: followFactsUseCase(readModel),
    previewRule: (request: PreviewRequest, want: ReadWant) => previewer.begin(request, want),
    checkReads: checkReadsUseCase(readModel),
    status: () => readModel.status,
  }
}
