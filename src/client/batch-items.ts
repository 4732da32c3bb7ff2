import type { BatchItem, Properties } from './api-types.js'
import type { BatchRoute, KeyedItem, Outcomes, ResultOf } from './batch-route.js'
import { DossierError, errorParts } from './errors.js'
import { replyOf } from './reply.js'
import { newKey, type CallOptions } from './requests.js'
import type { Transport } from './transport.js'

/** An item with the idempotency key under which it was sent. */
export type SentItem = BatchItem & { readonly idempotency_key: string }

export interface StoredItem {
  readonly item: SentItem
  /** 201 means that the item created an entity, event or other resource. */
  readonly status: 200 | 201
  /** The data of the reply to the equivalent single request. */
  readonly data: Properties
  readonly position: string
  /** Whether an earlier request had stored the item under the same idempotency key. */
  readonly replayed: boolean
  readonly error?: undefined
}

export interface RefusedItem {
  readonly item: SentItem
  /**
   * The error. Its property `stored` says whether this item may be stored. Paths in `details` are
   * relative to the item.
   */
  readonly error: DossierError
}

export type BatchResult = StoredItem | RefusedItem

/** The result of an item that was sent as JSON text. `item` is this text. */
export type JsonBatchResult = ResultOf<string, Stored>

type Stored = Omit<StoredItem, 'item' | 'error'>

/**
 * Sends items with `POST /batch`. The reply has an outcome for each item.
 *
 * @internal
 */
export const batchItems: BatchRoute<BatchItem, SentItem, Stored> = {
  keyed(given): KeyedItem<SentItem> {
    const item = { ...given, idempotency_key: given.idempotency_key ?? newKey() }
    const entity = 'entity_external_id' in item ? item.entity_external_id : item.external_id
    return { item, json: JSON.stringify(item), entity }
  },

  async send(
    transport: Transport,
    items: readonly KeyedItem<unknown>[],
    options: CallOptions,
  ): Promise<Outcomes<Stored>> {
    const json = `{"items":[${items.map((one) => one.json).join(',')}]}`
    const request = { kind: 'keyed', method: 'POST', path: '/batch', json } as const
    const reply = await transport.send<'writeBatch'>(request, options)
    const each = reply.results.map((one) =>
      'error' in one ? new DossierError(errorParts(one.error, one.status, true)) : one,
    )
    return { each, retryAfterMs: replyOf(reply).retryAfterMs }
  },
}
