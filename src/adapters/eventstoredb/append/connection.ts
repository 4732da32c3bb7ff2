import {
  BACKWARDS,
  END,
  FORWARDS,
  START,
  StreamDeletedError,
  StreamNotFoundError,
  type AppendExpectedRevision,
  type ResolvedEvent,
} from '@eventstore/db-client'
import { keyHashIn } from '../../../application/facts/fact-format.js'
import type { StoredFact } from '../../../application/facts/stored-fact.js'
import { BatchAppender } from './batch-appender.js'
import { answerOfError, type Answer } from '../client/answer.js'
import type { AppendRequest } from './batch-message.js'
import type { ConnectionUrl } from '../client/connection-url.js'
import { endRead } from '../client/end-read.js'
import { NotSent } from '../client/not-sent.js'
import { StoreClient } from '../client/store-client.js'
import { unaryAppend } from './unary-append.js'
import { TimedOut, withTimeout } from '../client/with-timeout.js'

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
const maxSilenceMs = 800

/** A client and the appends that go over it. */
interface Line {
  readonly client: StoreClient
  readonly lane: BatchAppender
}

/**
 * The client, and a fresh one in its place when it no longer hears its server: a client whose leader
 * is frozen looks for no other by itself.
 */
export class Connection {
  private line: Line
  /** When the first call began of those that have no answer, where none came since to another. */
  private silentSince: number | undefined
  private readonly busy = new Map<Line, number>()

  constructor(private readonly url: ConnectionUrl) {
    this.line = this.openLine(false)
  }

  /** One attempt, with one answer within `milliseconds`. Never throws. */
  async append(
    stream: string,
    expected: AppendExpectedRevision,
    facts: readonly StoredFact[],
    milliseconds: number,
  ): Promise<Answer> {
    const request = { stream, expected, facts }
    const dueAt = performance.now() + milliseconds
    try {
      return (
        (await this.ask(({ lane }) => lane.append(request, milliseconds))) ??
        (await this.appendAlone(request, Math.max(1, Math.ceil(dueAt - performance.now()))))
      )
    } catch (error) {
      return answerOfError(error)
    }
  }

  /**
   * Facts of a stream as its leader has them; undefined when it is missing or deleted. Throws what the
   * client throws, and `TimedOut`.
   */
  async read(
    stream: string,
    { from, most }: Reach,
    milliseconds: number,
  ): Promise<readonly PlacedFact[] | undefined> {
    let stop: () => void = () => undefined
    const reading = async ({ client }: Line) => {
      const facts: PlacedFact[] = []
      const events = client.call((made) =>
        made.readStream(stream, {
          direction: from === 'end' ? BACKWARDS : FORWARDS,
          fromRevision: from === 'end' ? END : from === 'start' ? START : from,
          maxCount: most,
          requiresLeader: true,
          credentials: this.url.credentials,
        }),
      )
      stop = () => {
        endRead(events)
      }
      for await (const event of events) facts.push(...placed(event))
      return facts
    }
    try {
      return await this.ask((line) => withTimeout(milliseconds, reading(line)))
    } catch (error) {
      if (error instanceof StreamNotFoundError || error instanceof StreamDeletedError)
        return undefined
      if (error instanceof TimedOut) stop()
      throw error
    }
  }

  /** To be called when nothing is asked any more. */
  async close(): Promise<void> {
    this.line.lane.close()
    await this.line.client.close()
  }

  /** For a server without the call that the lane needs. */
  private appendAlone(request: AppendRequest, milliseconds: number): Promise<Answer> {
    return this.ask(({ client }) =>
      withTimeout(milliseconds, unaryAppend(client, request, this.url.credentials, milliseconds)),
    )
  }

  private async ask<T>(call: (line: Line) => Promise<T>): Promise<T> {
    this.noticeSilence()
    const { line } = this
    this.silentSince ??= performance.now()
    this.busy.set(line, (this.busy.get(line) ?? 0) + 1)
    try {
      const result = await call(line)
      this.silentSince = undefined
      return result
    } catch (error) {
      if (!isSilence(error)) this.silentSince = undefined
      else if (line === this.line) this.noticeSilence()
      throw error
    } finally {
      this.leave(line)
    }
  }

  /** Silence while others have answers is a call's own misfortune, and so is a short one. */
  private noticeSilence(): void {
    const { line, silentSince } = this
    if (silentSince === undefined || performance.now() - silentSince < maxSilenceMs) return
    this.silentSince = undefined
    this.line = this.openLine(true)
    this.disposeIdle(line)
  }

  private leave(line: Line): void {
    this.busy.set(line, (this.busy.get(line) ?? 1) - 1)
    this.disposeIdle(line)
  }

  private disposeIdle(line: Line): void {
    if (line === this.line || (this.busy.get(line) ?? 0) > 0) return
    this.busy.delete(line)
    line.lane.close()
    void line.client.close()
  }

  private openLine(inDoubt: boolean): Line {
    const client = new StoreClient(this.url)
    const open = (doubtful: boolean) => client.batchCall(this.url.credentials, doubtful)
    return { client, lane: new BatchAppender(open, inDoubt) }
  }
}

function isSilence(error: unknown): boolean {
  if (error instanceof TimedOut) return true
  if (error instanceof NotSent) return isSilence(error.cause)
  return error instanceof Error && 'type' in error && error.type === 'deadline-exceeded'
}

function placed({ event }: ResolvedEvent): readonly PlacedFact[] {
  if (event === undefined) return []
  const { id, type, data, revision, position } = event
  const metadata = JSON.stringify(event.metadata)
  return [
    {
      fact: { id, type, data: JSON.stringify(data), metadata },
      revision,
      position: position?.commit ?? 0n,
      key: keyHashIn(metadata),
    },
  ]
}
