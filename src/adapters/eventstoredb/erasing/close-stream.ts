import { StreamDeletedError } from '@eventstore/db-client'
import { idOfText } from '../../../application/erasing/erasure-hashes.js'
import type { ClosedStream, StreamClosing } from '../../../application/erasing/ports/erasable.js'
import { factTable } from '../../../application/facts/fact-table.js'
import type { StoredFact } from '../../../application/facts/stored-fact.js'
import { Refusal } from '../../../application/ports/refusal.js'
import { reasonOf, type Answer, type Removal } from '../client/answer.js'
import type { RecordedFact } from '../append/connection.js'
import { truncatedBefore, type ExactAccess } from '../append/exact-stream.js'

/** The operations on one stream that `closeStream` needs, all under one deadline. */
export interface ClosingAccess extends Omit<ExactAccess, 'append'> {
  /**
   * Appends at the expected revision; `stream_exists` appends at any revision of an existing
   * stream. Never throws.
   */
  append(expected: bigint | 'stream_exists', facts: readonly StoredFact[]): Promise<Answer>
  /**
   * Deletes the stream if its last event has this revision; `any` deletes at every revision. With
   * `forGood`, the deletion is a tombstone. Never throws.
   */
  remove(revision: bigint | 'any', forGood: boolean): Promise<Removal>
  /** Returns the position of the last event in `$all`. Throws when the store does not answer. */
  end(): Promise<number>
  timeIsUp(): boolean
  pause(): Promise<void>
}

/**
 * A revision that no stream reaches. A request to delete a stream at this revision tests the user's
 * right to delete without deleting anything: a user with the right gets the answer "wrong
 * revision".
 */
const noSuchRevision = 2n ** 62n

/**
 * Appends the `EntityErased` at the revision that was read, then deletes the stream at the revision
 * of the `EntityErased`. So an append that expects a revision is stored before the `EntityErased`,
 * or is refused. An append without an expected revision may be stored between the two steps. In
 * this case another `EntityErased` is appended, because the last event of a soft-deleted stream
 * survives a scavenge and must not contain data of the entity.
 *
 * A tombstoned stream keeps no event, and nobody can start it again. So when other processes write
 * constantly, a stream to tombstone gets its `EntityErased` and its tombstone without an expected
 * revision.
 *
 * A deleted stream cannot be read. For such a stream, the returned position is the end of the log.
 * Rejects as `Erasable.close` does.
 */
export async function closeStream(
  closing: StreamClosing,
  access: ClosingAccess,
): Promise<ClosedStream> {
  const rounds = new Closing(closing, access)
  do {
    const closed = await rounds.next()
    if (closed !== undefined) return closed
  } while (!access.timeIsUp())
  throw new Refusal('outcome_unknown', 'the stream could not be closed in time')
}

class Closing {
  /** Whether a sent request has changed the stream, or may have changed it. */
  private isBegun = false
  /**
   * Whether the stream ended with its `EntityErased`, or was deleted, before this call of
   * `closeStream` began. Undefined until the stream was read.
   */
  private wasClosed: boolean | undefined
  private attempts = 0

  constructor(
    private readonly closing: StreamClosing,
    private readonly access: ClosingAccess,
  ) {}

  /** Makes one attempt. Returns undefined when the stream must be read again. */
  async next(): Promise<ClosedStream | undefined> {
    const { entityId } = this.closing
    const last = await this.read('end')
    if (last === undefined) return undefined
    if (last === 'deleted') return this.closedBefore()
    if (isErasureOf(last.fact, entityId)) return this.remove(last)
    const first = await this.read('start')
    if (first === undefined) return undefined
    if (first === 'deleted' || isLaterLife(first, entityId)) return this.closedBefore()
    if (first.fact.id !== entityId) throw missing()
    this.wasClosed ??= false
    if (!this.isBegun) await assertMayRemove(this.access, this.closing.suppress)
    return this.append(last.revision)
  }

  private async append(revision: bigint): Promise<ClosedStream | undefined> {
    const isContended = this.attempts > 0 && this.closing.suppress
    const expected = isContended ? 'stream_exists' : revision
    const answer = await this.access.append(expected, [this.nextFact()])
    switch (answer.kind) {
      case 'stored':
        this.isBegun = true
        return this.remove(answer)
      case 'wrong':
      case 'deleted':
        return undefined
      case 'too_large':
        throw new Refusal('append_too_large', 'the store takes no append of this size')
      case 'refused':
      case 'unknown':
        return this.failed(answer)
    }
  }

  /**
   * Returns the `EntityErased` for the next attempt. Each attempt stores a fact with its own id,
   * because several attempts may be stored.
   */
  private nextFact(): StoredFact {
    const { fact } = this.closing
    const { attempts } = this
    this.attempts += 1
    return attempts === 0 ? fact : { ...fact, id: idOfText(`${fact.id} ${String(attempts)}`) }
  }

  private async remove({
    revision,
    position,
  }: Pick<RecordedFact, 'revision' | 'position'>): Promise<ClosedStream | undefined> {
    this.wasClosed ??= true
    const answer = await this.removal(revision)
    switch (answer.kind) {
      case 'removed':
        return { position: String(position), replayed: this.wasClosed }
      case 'wrong':
      case 'deleted':
        return undefined
      case 'denied':
        throw denied()
      case 'refused':
      case 'unknown':
        return this.failed(answer)
    }
  }

  private async removal(revision: bigint): Promise<Removal> {
    const { suppress } = this.closing
    const exact = await this.access.remove(revision, suppress)
    return exact.kind === 'wrong' && suppress ? this.access.remove('any', suppress) : exact
  }

  /**
   * Returns the result for a stream that an earlier attempt closed. The result has the position of
   * the end of the log, because every fact of the entity is before this position.
   */
  private async closedBefore(): Promise<ClosedStream | undefined> {
    this.wasClosed ??= true
    try {
      return { position: String(await this.access.end()), replayed: this.wasClosed }
    } catch (error) {
      return this.failed({ kind: 'refused', reason: reasonOf(error) })
    }
  }

  /**
   * Returns the first or last event of the stream, or `deleted` for a deleted stream. Returns
   * undefined when the stream must be read again.
   */
  private async read(from: 'start' | 'end'): Promise<RecordedFact | 'deleted' | undefined> {
    try {
      const [found] = (await this.access.read('facts', { from, maxCount: 1 })) ?? []
      if (found !== undefined) return found
      const [latest] = (await this.access.read('metadata', { from: 'end', maxCount: 1 })) ?? []
      const truncated = truncatedBefore(latest)
      if (truncated >= Number.MAX_SAFE_INTEGER) return 'deleted'
      // Another process started the stream again between the two reads.
      if (truncated > 0) return undefined
    } catch (error) {
      if (error instanceof StreamDeletedError) return 'deleted'
      return this.failed({ kind: 'refused', reason: reasonOf(error) })
    }
    throw missing()
  }

  private async failed({ kind, reason }: Extract<Answer, { reason: string }>): Promise<undefined> {
    this.isBegun ||= kind === 'unknown'
    if (!this.isBegun) throw new Refusal('store_unavailable', reason)
    await this.access.pause()
    return undefined
  }
}

/**
 * Checks the right to delete streams before anything is stored. Without the right, the stream would
 * get its `EntityErased` and stay open. Rejects with `not_ready` and `store_unavailable`.
 */
export async function assertMayRemove(
  access: Pick<ClosingAccess, 'remove'>,
  forGood: boolean,
): Promise<void> {
  const answer = await access.remove(noSuchRevision, forGood)
  switch (answer.kind) {
    case 'wrong':
    case 'deleted':
      return
    case 'denied':
      throw denied()
    case 'removed':
      throw new Error('a stream was removed at a revision that it does not have')
    case 'refused':
    case 'unknown':
      throw new Refusal('store_unavailable', answer.reason)
  }
}

/** Returns whether the fact is the `EntityErased` of the entity. */
export function isErasureOf(fact: StoredFact, entityId: string): boolean {
  if (fact.type !== factTable.EntityErased.type) return false
  return factTable.EntityErased.read(fact)?.data.entityId === entityId
}

/**
 * Returns whether the stream belongs to another entity now. The first fact of a later stream
 * incarnation has a revision after the revisions of the earlier incarnation.
 */
function isLaterLife({ fact, revision }: RecordedFact, entityId: string): boolean {
  return revision > 0n && fact.id !== entityId && fact.type === factTable.EntityCreated.type
}

function missing(): Refusal {
  return new Refusal('stream_missing', 'the stream has no such beginning')
}

function denied(): Refusal {
  return new Refusal(
    'not_ready',
    'the user of STORE_URL may not delete streams: give it $d in the default ACL of user streams',
  )
}
