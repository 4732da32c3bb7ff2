import { sendBatches, type BatchOptions } from './batch.js'
import { batchItems, type BatchResult, type JsonBatchResult } from './batch-items.js'
import { ofJson, type JsonItem } from './batch-route.js'
import { Entities } from './entities.js'
import type { BatchItem } from './entity-types.js'
import { Erasures } from './erasures.js'
import { DossierError } from './errors.js'
import { Facts, type FactsOptions } from './facts.js'
import { HighestPosition } from './position.js'
import {
  trackedMessages,
  type JsonMessageResult,
  type Message,
  type MessageResult,
} from './messages.js'
import { Segments } from './segments.js'
import { Service } from './service.js'
import { Transport } from './transport.js'

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
export type * from './segment-types.js'
export type { Segments, VersionOptions } from './segments.js'
export type { Service } from './service.js'
export type * from './service-types.js'
export type { CallOptions, ReadOptions, WriteOptions } from './requests.js'

export interface DossierOptions {
  /** Where the service is: `https://dossier.example.org`, with a path if it has one. */
  readonly url: string | URL
  /** An API key of the service. */
  readonly key: string
  /** Where to begin; another client: the two share the highest Position from here on. */
  readonly position?: string | Dossier | undefined
  /** How long a call may take with all its repeats, in milliseconds: 30,000 if nothing is said. */
  readonly timeoutMs?: number | undefined
  /** Called before something is sent again, with why, and after how many milliseconds: for a log. */
  readonly onRetry?: ((error: DossierError, pauseMs: number) => void) | undefined
  /** In place of the global one. */
  readonly fetch?: typeof globalThis.fetch | undefined
}

/**
 * A client of the service. What is sent and answered has the names of the HTTP API; every method resolves
 * with the `data` of the reply, and `replyOf` of it has the rest. Every method throws `DossierError`.
 *
 * Every write has an `Idempotency-Key`, which it keeps while it is repeated: after 503 and 429 when the
 * service said so, after 504 and broken connections, until `timeoutMs`. Every read carries the highest
 * Position that any reply had: it knows what was written and read before, whichever replica answers.
 */
export class Dossier {
  readonly entities: Entities
  readonly segments: Segments
  readonly erasures: Erasures
  readonly service: Service
  private readonly transport: Transport
  private readonly highest: HighestPosition

  constructor(options: DossierOptions) {
    const { url, key, position, timeoutMs = 30_000, onRetry = () => undefined, fetch } = options
    this.highest = position instanceof Dossier ? position.highest : new HighestPosition(position)
    this.transport = new Transport({
      origin: withoutSlash(String(url)),
      key,
      position: this.highest,
      timeoutMs,
      onRetry,
      fetch: fetch ?? ((...request) => globalThis.fetch(...request)),
    })
    this.entities = new Entities(this.transport)
    this.segments = new Segments(this.transport, (items, options) => this.batch(items, options))
    this.erasures = new Erasures(this.transport)
    this.service = new Service(this.transport)
  }

  /** The highest Position seen: decimal text; undefined when none was. Keep it, or pass it on. */
  get position(): string | undefined {
    return this.highest.value
  }

  /**
   * Takes note of a Position that came another way: from another program, from EventStoreDB. Reads know it
   * from here on.
   */
  note(position: string): void {
    this.highest.note(position, this.highest.era)
  }

  /** Drops the Position: after 412 `position_unknown`, when the store is another one or was restored. */
  forget(): void {
    this.highest.forget()
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

  /**
   * All facts in their order, as they come: `for await (const fact of dossier.facts({ after }))`. Keep
   * `fact.cursor` together with what the fact changed, and begin there: each takes effect exactly once.
   */
  facts(options: FactsOptions = {}): Facts {
    return new Facts(this.transport, options)
  }
}

function withoutSlash(url: string): string {
  return url.endsWith('/') ? withoutSlash(url.slice(0, -1)) : url
}
