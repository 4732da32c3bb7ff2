import { setTimeout as wait } from 'node:timers/promises'
import { StreamDeletedError, type AppendExpectedRevision } from '@eventstore/db-client'
import { BackOff } from '../../../application/background-loop.js'
import type { StoredFact } from '../../../application/facts/stored-fact.js'
import { Refusal, StreamErased } from '../../../application/ports/refusal.js'
import type { Answer } from '../client/answer.js'
import { metastreamOf } from '../client/metastream.js'
import type { ClosingAccess } from '../erasing/close-stream.js'
import type { Connection } from './connection.js'
import type { ExactAccess } from './exact-stream.js'
import { noReadModel } from './find-key.js'
import type { StreamAccess } from './stream-access.js'

interface Parts {
  readonly connection: Connection
  readonly timeoutMs: number
  /**
   * Whether erasing is enabled. If erasing is enabled, a tombstoned stream belongs to an erased
   * entity.
   */
  readonly erases: boolean
  send(
    stream: string,
    expected: AppendExpectedRevision,
    facts: readonly StoredFact[],
    milliseconds: number,
  ): Promise<Answer>
}

/**
 * Creates the objects that access a stream. Each object has one deadline for all its operations.
 */
export class StreamAccesses {
  /**
   * Looks up an idempotency key whose facts are too old for a search in the store. The default
   * finds nothing; it is replaced once a read model exists.
   */
  findKey = noReadModel

  constructor(private readonly parts: Parts) {}

  /** Returns an object for appends at expected revisions. Its deadline counts from this call. */
  exact(stream: string): ExactAccess {
    const { connection, timeoutMs } = this.parts
    const left = leftUntil(performance.now() + timeoutMs)
    return {
      append: this.appendTo(stream, left),
      read: (what, range) => {
        const name = what === 'facts' ? stream : metastreamOf(stream)
        return connection.readUnlessRemoved(name, range, left())
      },
    }
  }

  /** Returns an object that deletes the stream. Its deadline counts from this call. */
  closing(stream: string): ClosingAccess {
    const { connection, timeoutMs } = this.parts
    const dueAt = performance.now() + timeoutMs
    const left = leftUntil(dueAt)
    return {
      ...this.exact(stream),
      append: this.appendTo(stream, left),
      remove: (revision, forGood) => connection.remove(stream, { revision, forGood }, left()),
      end: async () => (await connection.eventAt('end', left()))?.commit ?? 0,
      ...pausesUntil(dueAt),
    }
  }

  until(dueAt: number, stream: string): StreamAccess {
    const { connection, erases } = this.parts
    const left = leftUntil(dueAt)
    return {
      append: this.appendTo(stream, left),
      read: async (range) => {
        try {
          return await connection.readUnlessRemoved(stream, range, left())
        } catch (error) {
          if (!(error instanceof StreamDeletedError)) throw error
          if (erases) throw new StreamErased(undefined)
          return undefined
        }
      },
      findKey: (key) => this.findKey(stream, key),
      removed: (code) =>
        erases ? new StreamErased(undefined) : new Refusal(code, 'the stream was tombstoned'),
      ...pausesUntil(dueAt),
    }
  }

  /** Returns a function that appends to the stream. `left` returns the remaining milliseconds. */
  private appendTo(stream: string, left: () => number) {
    return (expected: AppendExpectedRevision, facts: readonly StoredFact[]): Promise<Answer> =>
      this.parts.send(stream, expected, facts, left())
  }
}

function leftUntil(dueAt: number): () => number {
  return () => Math.max(1, Math.ceil(dueAt - performance.now()))
}

function pausesUntil(dueAt: number): Pick<StreamAccess, 'timeIsUp' | 'pause'> {
  const backOff = new BackOff(20, 500)
  const left = leftUntil(dueAt)
  return {
    timeIsUp: () => performance.now() >= dueAt,
    pause: () => wait(Math.min(backOff.take(), left())),
  }
}
