import type { DossierError } from './errors.js'
import type { CallOptions } from './requests.js'
import type { Transport } from './transport.js'

/** An item as it is sent: its key stays the same over its repeats. */
export interface KeyedItem<Sent> {
  readonly item: Sent
  readonly json: string
  /** The external_id of its entity: items of one entity take effect in their order. */
  readonly entity: string
}

/** An item whose JSON is there already. */
export interface JsonItem {
  /** Has its key: an `idempotency_key`, or a `messageId`. */
  readonly json: string
  /** Its entity, by any name: items of one entity take effect in their order. */
  readonly entity: string
}

export interface Outcomes<Stored> {
  /** One an item, in their order: what was answered of it, or why it is not stored. */
  readonly each: readonly (Stored | DossierError)[]
  /** How long the service asks to wait before a repeat. */
  readonly retryAfterMs: number | undefined
}

/** A kind of item, and the request that takes many of them. */
export interface BatchRoute<Item, Sent, Stored extends object> {
  keyed(given: Item): KeyedItem<Sent>
  /** Sends them until there is a reply. Throws `DossierError` when there is none, or it is one of all. */
  send(
    transport: Transport,
    items: readonly KeyedItem<unknown>[],
    options: CallOptions,
  ): Promise<Outcomes<Stored>>
}

/** The same request for items whose JSON is there already. */
export function ofJson<Stored extends object>(
  route: Pick<BatchRoute<unknown, unknown, Stored>, 'send'>,
): BatchRoute<JsonItem, string, Stored> {
  return {
    keyed: ({ json, entity }) => ({ item: json, json, entity }),
    send: (transport, items, options) => route.send(transport, items, options),
  }
}

/** What has become of an item. */
export type ResultOf<Sent, Stored extends object> =
  | ({ readonly item: Sent; readonly error?: undefined } & Stored)
  | { readonly item: Sent; readonly error: DossierError }
