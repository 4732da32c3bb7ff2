import type { DossierError } from './errors.js'
import type { CallOptions } from './requests.js'
import type { Transport } from './transport.js'

/**
 * An item with its idempotency key, which stays the same for all retries.
 *
 * @internal
 */
export interface KeyedItem<Sent> {
  readonly item: Sent
  readonly json: string
  /**
   * The external_id of the entity. Items of one entity take effect in the order in which they were
   * given.
   */
  readonly entity: string
}

/** An item as JSON text. */
export interface JsonItem {
  /** The item. Its text must contain its idempotency key: an `idempotency_key` or a `messageId`. */
  readonly json: string
  /**
   * Any text that identifies the entity. Items of one entity take effect in the order in which they
   * were given.
   */
  readonly entity: string
}

/** @internal */
export interface Outcomes<Stored> {
  /** The reply or the error of each item, in order. */
  readonly each: readonly (Stored | DossierError)[]
  /** The time that the service asks the client to wait before a retry, in milliseconds. */
  readonly retryAfterMs: number | undefined
}

/**
 * A kind of item, and the request that sends many of them.
 *
 * @internal
 */
export interface BatchRoute<Item, Sent, Stored extends object> {
  keyed(given: Item): KeyedItem<Sent>
  /**
   * Sends items and returns their outcomes. Throws `DossierError` when there is no reply, or when
   * the reply refuses the whole request.
   */
  send(
    transport: Transport,
    items: readonly KeyedItem<unknown>[],
    options: CallOptions,
  ): Promise<Outcomes<Stored>>
}

/**
 * Returns the route for items that are JSON text.
 *
 * @internal
 */
export function ofJson<Stored extends object>(
  route: Pick<BatchRoute<unknown, unknown, Stored>, 'send'>,
): BatchRoute<JsonItem, string, Stored> {
  return {
    keyed: ({ json, entity }) => ({ item: json, json, entity }),
    send: (transport, items, options) => route.send(transport, items, options),
  }
}

/** The result of an item. */
export type ResultOf<Sent, Stored extends object> =
  | ({ readonly item: Sent; readonly error?: undefined } & Stored)
  | { readonly item: Sent; readonly error: DossierError }
