import { ReadModelBehind } from './errors.js'
import type { ReadModel } from './ports/read-model.js'

/** The position of the last fact that is known. Throws `ReadModelBehind` while reads are not answered. */
export type CheckReadsUseCase = () => number

export function checkReadsUseCase(readModel: ReadModel): CheckReadsUseCase {
  return () => {
    const { applied, isBuilding, trouble } = readModel.status
    if (isBuilding || trouble !== undefined) throw new ReadModelBehind(applied.position)
    return applied.position
  }
}

/** The position of the last fact that is known, whether reads are answered or not. */
export type KnownPositionUseCase = () => number

export function knownPositionUseCase(readModel: ReadModel): KnownPositionUseCase {
  return () => readModel.status.applied.position
}
