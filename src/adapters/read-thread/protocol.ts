import type {
  Queries,
  QueryName,
  ReadStatus,
  Want,
} from '../../application/reading/ports/read-model.js'

/** A question of the main thread. */
export interface Asked<Name extends QueryName = QueryName> {
  readonly id: number
  readonly name: Name
  readonly query: Queries[Name]['ask']
  readonly want: Pick<Want, 'position' | 'waitMs'>
}

export type ToReader =
  | { readonly kind: 'asked'; readonly asked: readonly Asked[] }
  /** Nobody waits for the answers to these any more. */
  | { readonly kind: 'given_up'; readonly ids: readonly number[] }
  | { readonly kind: 'close' }

/** What became of a question. */
export type Outcome =
  /** `value`: as JSON, which costs half of a copy between threads; undefined where there is none. */
  | {
      readonly id: number
      readonly value: string | undefined
      readonly position: number
      readonly logTime: number
    }
  | { readonly id: number; readonly refusal: Refusal; readonly position: number }

/** The errors of `ReadModel.ask`; `failed` is any other. */
export type Refusal =
  | 'behind'
  | 'unknown'
  | 'too_many'
  | 'segment_building'
  | 'overloaded'
  | 'failed'

export type FromReader =
  /** It is about to open its files. */
  | { readonly kind: 'opening' }
  | { readonly kind: 'opened'; readonly status: ReadStatus }
  | { readonly kind: 'not_opened'; readonly reason: string }
  | { readonly kind: 'outcomes'; readonly outcomes: readonly Outcome[] }
  | { readonly kind: 'status'; readonly status: ReadStatus }
  | {
      readonly kind: 'log'
      readonly level: 'info' | 'warn' | 'error'
      readonly details: object
      readonly message: string
    }
