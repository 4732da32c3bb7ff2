import type { InPieces } from '../../../../domain/in-pieces.js'
import type {
  Checkpoint,
  Queries,
  QueryName,
  QueryOf,
} from '../../../../application/reading/ports/read-model.js'

export interface Applied extends Checkpoint {
  /** Log time there, in milliseconds since 1970. */
  readonly logTime: number
}

export type Begun<T> = T | InPieces<T>

/** Each query, answered from one state: that at `applied`. */
export type Answers = {
  readonly [Name in QueryName]: (
    query: QueryOf<Name>,
    applied: Applied,
  ) => Begun<Queries[Name]['answer']>
}
