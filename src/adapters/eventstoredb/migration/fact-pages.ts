import {
  FORWARDS,
  START,
  StreamDeletedError,
  StreamNotFoundError,
  type Position,
  type ResolvedEvent,
} from '@eventstore/db-client'
import type { StoredFact } from '../../../application/facts/stored-fact.js'
import { factOf } from './carried-fact.js'
import type { ConnectionUrl } from '../client/connection-url.js'
import { retryWithBackoff } from './retry-with-backoff.js'
import { StoreClient } from '../client/store-client.js'

/** A page ends when it has so many facts, or so many characters of them. */
const maxFacts = 500
const maxCharacters = 1_048_576
const entityPrefix = 'entity-'

export interface PageOptions {
  readonly url: ConnectionUrl
  /** Of one call, in milliseconds. */
  readonly timeoutMs: number
  /** How long a failed call is retried, in milliseconds. */
  readonly retryForMs: number
}

export interface RevisedFact {
  readonly fact: StoredFact
  readonly revision: bigint
}

export interface StreamPage {
  readonly facts: readonly RevisedFact[]
  /** No more facts came after these when they were read. */
  readonly isLast: boolean
}

/** Where a fact of an entity is: in its stream, and in the whole store. */
export interface FactReference {
  readonly stream: string
  readonly revision: bigint
  readonly position: bigint
}

export interface AllPage {
  readonly references: readonly FactReference[]
  /** The position of the last event that was read, a fact or not. */
  readonly last: Position
}

/** Reads with answers of the leader only, in pages: each is one call, tried until it is answered. */
export class FactPages {
  private readonly client: StoreClient

  constructor(private readonly options: PageOptions) {
    this.client = new StoreClient(options.url)
  }

  /** Undefined when the stream is missing or was removed; without facts beyond its end. */
  ofStream(stream: string, from: bigint): Promise<StreamPage | undefined> {
    return retryWithBackoff(this.options.retryForMs, async () => {
      try {
        return await this.readStream(stream, from)
      } catch (error) {
        if (error instanceof StreamNotFoundError || error instanceof StreamDeletedError) {
          return undefined
        }
        throw error
      }
    })
  }

  /** Every fact in a stream of an entity, in the order of the whole store, after a position. */
  async *ofAll(after?: Position): AsyncIterable<AllPage> {
    for (let from = after; ;) {
      const here = from
      const page = await retryWithBackoff(this.options.retryForMs, () => this.readAll(here))
      if (page === undefined) return
      yield page
      from = page.last
    }
  }

  async close(): Promise<void> {
    await this.client.close()
  }

  private async readStream(stream: string, from: bigint): Promise<StreamPage> {
    const { url, timeoutMs } = this.options
    const events = this.client.call((client) =>
      client.readStream(stream, {
        direction: FORWARDS,
        fromRevision: from,
        maxCount: maxFacts,
        requiresLeader: true,
        credentials: url.credentials,
        deadline: timeoutMs,
      }),
    )
    const facts: RevisedFact[] = []
    let characters = 0
    for await (const { event } of events as AsyncIterable<ResolvedEvent>) {
      if (event === undefined) continue
      const fact = factOf(event)
      facts.push({ fact, revision: event.revision })
      characters += fact.data.length + fact.metadata.length
      if (characters < maxCharacters) continue
      await events.cancel()
      return { facts, isLast: false }
    }
    return { facts, isLast: facts.length < maxFacts }
  }

  /** What comes after a position, if anything: the store gives the event at it as well. */
  private async readAll(after: Position | undefined): Promise<AllPage | undefined> {
    const { url, timeoutMs } = this.options
    const events = this.client.call((client) =>
      client.readAll({
        direction: FORWARDS,
        fromPosition: after ?? START,
        maxCount: maxFacts,
        requiresLeader: true,
        credentials: url.credentials,
        deadline: timeoutMs,
      }),
    )
    const references: FactReference[] = []
    let last: Position | undefined
    for await (const { event } of events) {
      if (event === undefined || event.position.prepare === after?.prepare) continue
      last = event.position
      const { streamId: stream, type, revision } = event
      if (isFact(stream, type)) references.push({ stream, revision, position: last.commit })
    }
    return last === undefined ? undefined : { references, last }
  }
}

/** System events, a tombstone among them, are no facts. */
function isFact(stream: string, type: string): boolean {
  return stream.startsWith(entityPrefix) && !type.startsWith('$')
}
