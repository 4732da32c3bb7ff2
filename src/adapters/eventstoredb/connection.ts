import {
  BACKWARDS,
  END,
  FORWARDS,
  jsonEvent,
  START,
  StreamDeletedError,
  StreamNotFoundError,
  type AppendExpectedRevision,
  type EventStoreDBClient,
  type JSONType,
  type ResolvedEvent,
  type StreamingRead,
} from '@eventstore/db-client'
import { z } from 'zod'
import type { StoredFact } from '../../application/ports/event-store.js'
import { answerOfError, type Answer } from './answer.js'
import type { ConnectionUrl } from './connection-url.js'
import { openClient } from './open-client.js'
import { NotInTime, within } from './within.js'

/** A fact where it is kept. */
export interface PlacedFact {
  readonly fact: StoredFact
  readonly revision: bigint
  readonly position: bigint
  /** The hash of the idempotency key that it was stored under. */
  readonly key: string | undefined
}

/** From which revision, or from which end, in which direction, how many at the most. */
export interface Reach {
  readonly from: bigint | 'start' | 'end'
  readonly most: number
}

/** So long without any answer, and a fresh client may find what the old one does not look for. */
const longestSilenceMs = 800

const keyIn = z.object({ idempotencyKey: z.string().optional() })

/** Bytes read and written as JSON text; the store is never given what it could not settle. */
const jsonObject = z.custom<Record<string, JSONType>>(
  (value) => typeof value === 'object' && value !== null,
)

/**
 * The client, and a fresh one in its place when it no longer hears its server: a client whose leader
 * is frozen looks for no other by itself.
 */
export class Connection {
  private client: EventStoreDBClient
  /** When the first call began of those that have no answer, where none came since to another. */
  private silentSince: number | undefined
  private readonly busy = new Map<EventStoreDBClient, number>()

  constructor(private readonly url: ConnectionUrl) {
    this.client = openClient(url.forClient)
  }

  /** One attempt, with one answer within `milliseconds`. Never throws. */
  async append(
    stream: string,
    expectedRevision: AppendExpectedRevision,
    facts: readonly StoredFact[],
    milliseconds: number,
  ): Promise<Answer> {
    const events = facts.map(({ id, type, data, metadata }) =>
      jsonEvent({
        id,
        type,
        data: jsonObject.parse(JSON.parse(data)),
        metadata: jsonObject.parse(JSON.parse(metadata)),
      }),
    )
    try {
      const result = await this.ask(milliseconds, (client) =>
        client.appendToStream(stream, events, {
          expectedRevision,
          requiresLeader: true,
          credentials: this.url.credentials,
          deadline: milliseconds,
        }),
      )
      const { position, nextExpectedRevision: revision } = result
      if (position !== undefined) return { kind: 'stored', revision, position: position.commit }
      return { kind: 'unknown', reason: 'acknowledged without a position' }
    } catch (error) {
      return answerOfError(error)
    }
  }

  /**
   * Facts of a stream as its leader has them; undefined when it is missing or deleted. Throws what the
   * client throws, and `NotInTime`.
   */
  async read(
    stream: string,
    { from, most }: Reach,
    milliseconds: number,
  ): Promise<readonly PlacedFact[] | undefined> {
    let stop = ignore
    const reading = async (client: EventStoreDBClient) => {
      const facts: PlacedFact[] = []
      const events = client.readStream(stream, {
        direction: from === 'end' ? BACKWARDS : FORWARDS,
        fromRevision: from === 'end' ? END : from === 'start' ? START : from,
        maxCount: most,
        requiresLeader: true,
        credentials: this.url.credentials,
      })
      stop = () => {
        end(events)
      }
      for await (const event of events) facts.push(...placed(event))
      return facts
    }
    try {
      return await this.ask(milliseconds, reading)
    } catch (error) {
      if (error instanceof StreamNotFoundError || error instanceof StreamDeletedError)
        return undefined
      if (error instanceof NotInTime) stop()
      throw error
    }
  }

  /** To be called when nothing is asked any more. */
  async close(): Promise<void> {
    await this.client.dispose()
  }

  private async ask<T>(
    milliseconds: number,
    call: (client: EventStoreDBClient) => Promise<T>,
  ): Promise<T> {
    this.noticeSilence()
    const { client } = this
    this.silentSince ??= performance.now()
    this.busy.set(client, (this.busy.get(client) ?? 0) + 1)
    try {
      const result = await within(milliseconds, call(client))
      this.silentSince = undefined
      return result
    } catch (error) {
      if (!isSilence(error)) this.silentSince = undefined
      else if (client === this.client) this.noticeSilence()
      throw error
    } finally {
      this.leave(client)
    }
  }

  /** Silence while others have answers is a call's own misfortune, and so is a short one. */
  private noticeSilence(): void {
    const { client, silentSince } = this
    if (silentSince === undefined || performance.now() - silentSince < longestSilenceMs) return
    this.silentSince = undefined
    this.client = openClient(this.url.forClient)
    this.disposeIdle(client)
  }

  private leave(client: EventStoreDBClient): void {
    this.busy.set(client, (this.busy.get(client) ?? 1) - 1)
    this.disposeIdle(client)
  }

  private disposeIdle(client: EventStoreDBClient): void {
    if (client === this.client || (this.busy.get(client) ?? 0) > 0) return
    this.busy.delete(client)
    void client.dispose()
  }
}

/**
 * A read knows no deadline: left alone it would wait as long as its connection lives. It is not
 * destroyed: one whose answer is here already would then never be let go by its client.
 */
function end(events: StreamingRead<ResolvedEvent>): void {
  events.on('error', ignore)
  events.cancel().catch(ignore)
}

function ignore(): void {
  return undefined
}

function isSilence(error: unknown): boolean {
  if (error instanceof NotInTime) return true
  return error instanceof Error && 'type' in error && error.type === 'deadline-exceeded'
}

function placed({ event }: ResolvedEvent): readonly PlacedFact[] {
  if (event === undefined) return []
  const { id, type, data, metadata, revision, position } = event
  return [
    {
      fact: { id, type, data: JSON.stringify(data), metadata: JSON.stringify(metadata) },
      revision,
      position: position?.commit ?? 0n,
      key: keyIn.safeParse(metadata).data?.idempotencyKey,
    },
  ]
}
