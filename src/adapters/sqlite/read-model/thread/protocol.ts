import type { RefusalCode } from '../../../../application/ports/refusal.js'
import type {
  QueryName,
  ReadStatus,
  Want,
  QueryOf,
} from '../../../../application/reading/ports/read-model.js'
import type { ChangedProfiles } from './lent-profiles.js'

export interface Request<Name extends QueryName = QueryName> {
  readonly id: number
  readonly name: Name
  readonly query: QueryOf<Name>
  readonly want: Pick<Want, 'position' | 'waitMs'>
}

export type ToReader =
  /** `requests` is a list of `Request` as JSON. The text costs half as much as copying the objects. */
  | { readonly kind: 'requests'; readonly requests: string }
  /** Says that the caller no longer needs the response to the request `id`. */
  | { readonly kind: 'cancelled'; readonly id: number }
  | { readonly kind: 'close' }

/**
 * The response to a query. `value` is text from `writeAnswer`, or undefined when the answer has no value. If `mayKeep`
 * is true, the main thread may answer the same query again until a message says that the answer has changed.
 */
export type Response = readonly [
  id: number,
  position: number,
  logTime: number,
  value: string | undefined,
  mayKeep: boolean,
]

export interface Refused {
  readonly id: number
  /**
   * The code of the refusal. Undefined for an unexpected error, which the reader thread has written to the
   * application log.
   */
  readonly code: RefusalCode | undefined
  readonly position: number | undefined
}

/** A message of the reader thread. `changed` applies after the responses of the message. */
export type FromReader = Event & { readonly changed?: ChangedProfiles | undefined }

type Event =
  | { readonly kind: 'opening' }
  | { readonly kind: 'opened'; readonly status: ReadStatus }
  | { readonly kind: 'not_opened'; readonly reason: string }
  | { readonly kind: 'responses'; readonly responses: readonly (Response | Refused)[] }
  | { readonly kind: 'status'; readonly status: ReadStatus }
  | {
      readonly kind: 'log'
      readonly level: 'info' | 'warn' | 'error'
      readonly details: object
      readonly message: string
    }
