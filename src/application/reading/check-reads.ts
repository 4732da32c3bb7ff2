import { RefusalAt } from '../ports/refusal.js'
import type { ReadModel, ReadStatus } from './ports/read-model.js'

/** How long the read model may take to give a sign of life, in milliseconds. */
const maxCheckMs = 500

/** The position of the last fact that is applied. Rejects with `read_model_behind` while reads are not answered. */
export type CheckReadsUseCase = () => Promise<number>

export function checkReadsUseCase(readModel: ReadModel): CheckReadsUseCase {
  return async () => {
    const { applied, isBuilding, trouble } = readModel.status
    if (isBuilding || trouble !== undefined)
      throw new RefusalAt('read_model_behind', applied.position)
    return (await readModel.query('factAt', { position: 0 }, { waitMs: 0, answerMs: maxCheckMs }))
      .position
  }
}

/** How far the read model is, whether reads are answered or not. */
export type ReadStatusUseCase = () => ReadStatus
