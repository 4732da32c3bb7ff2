import { sendBatches, type BatchOptions } from './batch.js'
import { batchItems, type BatchResult, type JsonBatchResult } from './batch-items.js'
import { ofJson, type JsonItem } from './batch-route.js'
import { Calls, type CallsOptions } from './calls.js'
import type { BatchItem } from './entity-types.js'
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
export type * from './entity-types.js'
export type { Erasures } from './erasures.js'
export type * from './erasure-types.js'
export { DossierError }
export type { ClientCode, Detail, DetailCode, FaultCode } from './errors.js'
export type * from './fact-types.js'
export type { Facts, FactsOptions } from './facts.js'
export type { JsonMessageResult, Message, MessageResult, SentMessage } from './messages.js'
export type { Pages } from './pages.js'
export type { Preview } from './preview.js'
export { replyOf } from './reply.js'
export type { Reply } from './reply.js'
export type { Replacement } from './replace-members.js'
export type * from './preview-types.js'
export type * from './segment-types.js'
export type { VersionOptions } from './segment-calls.js'
export type { Segments } from './segments.js'
export type { Service } from './service.js'
export type * from './service-types.js'
export type { CallOptions, ReadOptions, WriteOptions } from './requests.js'

export type DossierOptions = CallsOptions

/**
 * A client of the service. What is sent and answered has the names of the HTTP API; every method resolves
 * with the `data` of the reply, and `replyOf` of it has the rest. Every method throws `DossierError`.
 *
 * Every write has an `Idempotency-Key`, which it keeps while it is repeated: after 503 and 429 when the
 * service said so, after 504 and broken connections, until `timeoutMs`. Every read carries the highest
 * Position that any reply had: it knows what was written and read before, whichever replica answers.
 */
export class Dossier extends Calls {
  override readonly segments: Segments

  constructor(options: DossierOptions) {
    super(options)
    this.segments = new Segments(this.transport, (items, given) => this.batch(items, given))
  }

  /**
   * Many writes: yields a result for each item, in their order. Items of one entity take effect in their
   * order. They are sent up to 1,000 and 4 MiB at a time, a few requests at once; of each, what was not
   * stored for now is sent again under its key. An item that stays refused has an `error`, and stops
   * nobody but later items of the same entity where it may be stored later (`not_sent`). Leaving the loop
   * ends what is under way, which may be stored. Throws what the source throws, after the results of all
   * before, and the reason of the signal.
   */
  batch(
    items: Iterable<BatchItem> | AsyncIterable<BatchItem>,
    options: BatchOptions = {},
  ): AsyncGenerator<BatchResult, void, undefined> {
    return sendBatches(batchItems, this.transport, items, options)
  }

  /**
   * The same for messages of Segment's protocol, over `POST /v1/batch`. A message is recognised by its
   * `messageId`; the client makes one where there is none. Whether one was stored before is not said.
   */
  messages(
    messages: Iterable<Message> | AsyncIterable<Message>,
    options: BatchOptions = {},
  ): AsyncGenerator<MessageResult, void, undefined> {
    return sendBatches(trackedMessages, this.transport, messages, options)
  }

  /**
   * Many writes whose JSON is there already, in a file of NDJSON, say: it is sent as it stands, and is the
   * `item` of the result.
   */
  batchJson(
    items: Iterable<JsonItem> | AsyncIterable<JsonItem>,
    options: BatchOptions = {},
  ): AsyncGenerator<JsonBatchResult, void, undefined> {
    return sendBatches(ofJson(batchItems), this.transport, items, options)
  }

  /** The same for messages. */
  messagesJson(
    messages: Iterable<JsonItem> | AsyncIterable<JsonItem>,
    options: BatchOptions = {},
  ): AsyncGenerator<JsonMessageResult, void, undefined> {
    return sendBatches(ofJson(trackedMessages), this.transport, messages, options)
  }
}
