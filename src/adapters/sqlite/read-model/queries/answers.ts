import type { InPieces } from '../../../../domain/in-pieces.js'
import type {
  Checkpoint,
  Queries,
  QueryName,
  QueryOf,
} from '../../../../application/reading/ports/read-model.js'

export interface Applied extends Checkpoint {
  /** The log time at the position, in milliseconds since 1970. */
  readonly logTime: number
}

export type Begun<T> = T | InPieces<T>

/** The functions that answer the queries, by query name. Each answer is exact for the position `applied`. */
export type Answers = {
  readonly [Name in QueryName]: (
    query: QueryOf<Name>,
    applied: Applied,
  ) => Begun<Queries[Name]['answer']>
}
