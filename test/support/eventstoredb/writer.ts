import type { Committer } from './committer.js'
import { decideAppend, type Decision, type Expected } from './decide-append.js'
import { systemEvent, type Disk } from './disk.js'
import type { IdCache } from './id-cache.js'
import {
  DELETED,
  metastreamOf,
  NONE,
  originalOf,
  type ProposedEvent,
  type StoredRecord,
} from './record.js'
import { StreamStates } from './stream-states.js'

export interface Success {
  readonly kind: 'success'
  readonly revision: bigint
  readonly position: bigint | undefined
}

/** An immediate answer, or the promise of an answer after the commit. That promise may never resolve. */
export type Written =
  | Exclude<Decision, { kind: 'write' } | { kind: 'repeat' }>
  | { readonly kind: 'pending'; readonly answer: Promise<Success> }

/** The only writer of a disk. Decides and writes in one step. */
export class Writer {
  /** The state that readers see. */
  readonly committed: StreamStates
  /** The state that decides appends. */
  private readonly written: StreamStates

  constructor(
    private readonly disk: Disk,
    private readonly committer: Committer,
    private readonly ids: IdCache,
  ) {
    this.written = new StreamStates(disk, 'written')
    this.committed = new StreamStates(disk, 'committed')
  }

  append(stream: string, expected: Expected, events: readonly ProposedEvent[]): Written {
    const question = { stream, expected, ids: events.map(({ id }) => id) }
    const decision = decideAppend(this.written, this.ids, question)
    if (decision.kind === 'repeat') return this.repeat(stream, decision.revision)
    if (decision.kind !== 'write') return decision
    const original = originalOf(stream)
    const undeleted = original !== undefined && this.written.isSoftDeleted(original)
    const position = this.write(stream, decision.head, events)
    const answer = this.whenCommitted(max(decision.head + BigInt(events.length), 0n), position)
    if (decision.undelete) this.undelete(stream, decision.head + 1n)
    if (undeleted) this.undelete(original, this.written.head(original) + 1n)
    return { kind: 'pending', answer }
  }

  delete(stream: string, expected: Expected, hard: boolean): Written {
    const event = hard
      ? systemEvent('$streamDeleted')
      : systemEvent('$metadata', `{"$tb":${String(DELETED)}}`)
    const decision = decideAppend(this.written, this.ids, { stream, expected, ids: [event.id] })
    if (decision.kind !== 'write') return decision as Written
    const target = hard ? stream : metastreamOf(stream)
    const head = this.written.head(target)
    if (!hard && decision.head === NONE && head === NONE)
      return { kind: 'wrong_expected_version', head: NONE }
    const position = this.write(target, hard ? DELETED - 1n : head, [event])
    return { kind: 'pending', answer: this.whenCommitted(head + 1n, position) }
  }

  /**
   * Returns whether a scavenge keeps the record: the last event of a stream is always kept, and so is every readable
   * event.
   */
  keeps({ stream, revision }: StoredRecord): boolean {
    const head = this.committed.head(stream)
    if (head === DELETED) return revision === DELETED
    const last = this.committed.last(stream)
    const [first] = this.committed.readable(stream)
    if (originalOf(stream) !== undefined) return revision === last
    return revision === last || (first !== undefined && revision >= first.revision)
  }

  /** Returns the revision of a stream's next event. */
  next(stream: string): bigint {
    return this.written.head(stream) + 1n
  }

  private write(stream: string, head: bigint, events: readonly ProposedEvent[]): bigint {
    if (events.length === 0) return this.disk.writeNothing(stream)
    let position = 0n
    for (const [index, event] of events.entries()) {
      const revision = head + 1n + BigInt(index)
      position = this.disk.write(stream, revision, event).position
      this.ids.remember(event.id, { stream, revision })
    }
    return position
  }

  private repeat(stream: string, revision: bigint): Written {
    // The server drops a repeat of an uncommitted append, and never answers it.
    if (this.committed.head(stream) < revision)
      return { kind: 'pending', answer: new Promise(noop) }
    const stored = this.committed.readable(stream).find((record) => record.revision === revision)
    const answer: Success = { kind: 'success', revision, position: stored?.position }
    return { kind: 'pending', answer: Promise.resolve(answer) }
  }

  private async whenCommitted(revision: bigint, position: bigint): Promise<Success> {
    await this.committer.commit()
    return { kind: 'success', revision, position }
  }

  private undelete(stream: string, firstRevision: bigint): void {
    const { text, revision } = this.written.rawMetadata(stream)
    const kept: unknown = JSON.parse(text)
    const json = JSON.stringify({ ...Object(kept), $tb: Number(firstRevision) })
    this.write(metastreamOf(stream), revision, [systemEvent('$metadata', json)])
    void this.committer.commit(true)
  }
}

function max(one: bigint, other: bigint): bigint {
  return one > other ? one : other
}

function noop(): void {
  return undefined
}
