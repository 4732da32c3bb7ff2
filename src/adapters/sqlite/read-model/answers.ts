import type {
  Checkpoint,
  Queries,
  QueryName,
} from '../../../application/reading/ports/read-model.js'

/** What a connection has applied. */
export interface Applied extends Checkpoint {
  /** Log time there, in milliseconds since 1970. */
  readonly logTime: number
}

/** Each question, answered from one state: that at `applied`. */
export type Answers = {
  readonly [Name in QueryName]: (
    query: Queries[Name]['ask'],
    applied: Applied,
  ) => Queries[Name]['answer'] | Promise<Queries[Name]['answer']>
}
