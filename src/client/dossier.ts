// Client: converts calls to HTTP requests. Imports no other package at run time.
// - In: `dossier.ts` (programs) and `calls.ts` (web pages) group the calls by resource.
// - Out: `transport.ts` sends, retries and carries the Position. `batch.ts` groups many items into
// requests. `event-stream.ts` reads streams for `facts.ts` and `preview.ts`.
// - `api-types.ts` contains the types of all requests and replies. It is generated from the OpenAPI
// document. `types.ts` gives names to some of these types.
import { sendBatches, type BatchOptions } from './batch.js'
import { batchItems, type BatchResult, type JsonBatchResult } from './batch-items.js'
import { ofJson, type JsonItem } from './batch-route.js'
import { Calls, type CallsOptions } from './calls.js'
import type { BatchItem } from './api-types.js'
import { DossierError } from './errors.js'
import {
  trackedMessages,
  type JsonMessageResult,
  type Message,
  type MessageResult,
} from './messages.js'
import { Segments } from './segments.js'

export type { BatchOptions } from './batch.js'
export type {
  BatchResult,
  JsonBatchResult,
  RefusedItem,
  SentItem,
  StoredItem,
} from './batch-items.js'
export type { JsonItem } from './batch-route.js'
export type { Entities } from './entities.js'
export type * from './api-types.js'
export type { Erasures } from './erasures.js'
export { DossierError }
export type { ClientCode } from './errors.js'
export type { Facts, FactsOptions } from './facts.js'
export type { JsonMessageResult, Message, MessageResult, SentMessage } from './messages.js'
export type { Pages } from './pages.js'
export type { Preview } from './preview.js'
export { replyOf } from './reply.js'
export type { Reply } from './reply.js'
export type { Replacement } from './replace-members.js'
export type { Search } from './search.js'
export type { VersionOptions } from './segment-calls.js'
export type { Segments } from './segments.js'
export type { Service } from './service.js'
export type { SegmentDefinition } from './types.js'
export type * from './types.js'
export type { Webhooks } from './webhooks.js'
export type { CallOptions, ReadOptions, WriteOptions } from './requests.js'

export type DossierOptions = CallsOptions

/**
 * A client of the service. Requests and replies use the names of the HTTP API. Every method
 * resolves with the `data` of the reply, or throws `DossierError`. `replyOf(data)` returns status
 * and headers.
 *
 * Every write has an `Idempotency-Key`, which stays the same for its retries. The client retries
 * after 429, 503, 504, and after broken connections, until `timeoutMs`. Every read sends the
 * highest Position of all earlier replies. So the answer includes everything that this client wrote
 * and read before, on any replica.
 */
export class Dossier extends Calls {
  override readonly segments: Segments

  constructor(options: DossierOptions) {
    super(options)
    this.segments = new Segments(this.transport, (items, given) => this.batch(items, given))
  }

  /**
   * Sends many writes and yields a result for each item, in order.
   *
   * - Items of one entity take effect in the order in which they were given.
   * - A request has up to 1,000 items and 4 MiB. A few requests run at once.
   * - Items with a temporary failure are retried under their idempotency keys.
   * - The result of a refused item has an `error`. If the item may still be stored, the remaining
   *   items of its entity are not sent (`not_sent`). Items of other entities continue.
   * - Leaving the loop ends the running requests. Their items may be stored.
   *
   * If the source fails, yields the results of all earlier items, and then throws the source's
   * error. If the signal is aborted, throws the signal's reason.
   */
  batch(
    items: Iterable<BatchItem> | AsyncIterable<BatchItem>,
    options: BatchOptions = {},
  ): AsyncGenerator<BatchResult, void, undefined> {
    return sendBatches(batchItems, this.transport, items, options)
  }

  /**
   * Works like `batch`, for messages of Segment's protocol, with `POST /v1/batch`. The `messageId`
   * identifies a message. The client generates a missing `messageId`. Results do not say whether an
   * earlier request had stored the message.
   */
  messages(
    messages: Iterable<Message> | AsyncIterable<Message>,
    options: BatchOptions = {},
  ): AsyncGenerator<MessageResult, void, undefined> {
    return sendBatches(trackedMessages, this.transport, messages, options)
  }

  /**
   * Works like `batch`, for items that are already JSON text, such as lines of NDJSON. The text is
   * sent unchanged. The result contains it as `item`.
   */
  batchJson(
    items: Iterable<JsonItem> | AsyncIterable<JsonItem>,
    options: BatchOptions = {},
  ): AsyncGenerator<JsonBatchResult, void, undefined> {
    return sendBatches(ofJson(batchItems), this.transport, items, options)
  }

  /** Works like `messages`, for messages that are already JSON text. */
  messagesJson(
    messages: Iterable<JsonItem> | AsyncIterable<JsonItem>,
    options: BatchOptions = {},
  ): AsyncGenerator<JsonMessageResult, void, undefined> {
    return sendBatches(ofJson(trackedMessages), this.transport, messages, options)
  }
}
