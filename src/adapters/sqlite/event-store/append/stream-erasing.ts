import { erasedFact, isErased } from '../../../../application/facts/erased-fact.js'
import { keyIn, requestIdIn } from '../../../../application/facts/metadata.js'
import { erasedStream } from '../../../../domain/erasures.js'
import { prepareRows, type Database } from '../../file/driver.js'
import { ErasedStreams, type ErasedStreamRow } from '../../file/erased-streams.js'
import type { NameSecret } from '../../file/name-secret.js'
import type { ClosingStream, EraseResponse, EraseStep } from './protocol.js'
import type { WriteConnection } from './write-connection.js'
import { factIn, valuesIn } from '../../file/row.js'

/** What a step wrote, to be committed. */
export interface TakenStep {
  readonly response: EraseResponse
  /** About how many pages it changed. */
  readonly changedPages: number
  /** That of a fact that it wrote. */
  readonly position?: number
  /** The name that a stream had. */
  readonly endedName?: string
  /** A stream whose keys are none any more. */
  readonly endedStream?: number | undefined
}

/** What one transaction removes, with what was removed before. */
interface RemovedSome {
  removedTo: number
  facts: Record<string, number>
  keys: number
  /** Facts that it changes. */
  changed: number
}

/** Facts that one transaction removes, at most, and keys. */
const maxRemoved = 200
/** How long it goes on, in milliseconds: appends wait meanwhile. */
const sliceMs = 2
/** Facts that are removed between two looks at the clock. */
const factsAtOnce = 25
/** Positions that are looked at for them: there is no index of facts by stream. */
const positionsAtOnce = 1_000
/** About how many pages a row of `erased` changes, and all that closes a stream. */
const pagesOfRow = 2
const pagesOfClosing = 5
/**
 * What erasing does to the tables, inside transactions that its caller makes. Every method throws what
 * SQLite says.
 */
export class StreamErasing {
  private readonly statements: ReturnType<typeof prepare>
  private readonly erased: ErasedStreams
  private suppressesAny: boolean

  constructor(
    private readonly connection: WriteConnection,
    private readonly secret: NameSecret,
  ) {
    this.statements = prepare(connection.db)
    this.erased = new ErasedStreams(connection.db)
    this.suppressesAny = this.erased.suppressesAny()
  }

  /** The id of the erased entity whose stream it was, while that name is suppressed. */
  suppressedBy(stream: string): string | undefined {
    return this.suppressesAny ? this.erased.suppressed(this.secret.hashOf(stream)) : undefined
  }

  /** `head`: the position of the newest fact. */
  take(step: EraseStep, head: number): TakenStep {
    switch (step.kind) {
      case 'close':
        return this.close(step, head + 1)
      case 'remove':
        return this.remove(step.entityId)
      case 'release':
        // Names are looked up until the next start all the same: the commit may fail.
        this.erased.release(step.entityId)
        return { response: { kind: 'released' }, changedPages: pagesOfRow }
      case 'forget_names':
        for (const entityId of step.entityIds) this.erased.forgetName(entityId)
        return {
          response: { kind: 'released' },
          changedPages: step.entityIds.length * pagesOfRow,
        }
    }
  }

  /** Adds the last fact of a stream, at `position`, and renames the stream. */
  private close(closing: ClosingStream, position: number): TakenStep {
    const { stream, entityId, erasureId, suppress, fact } = closing
    const streamId = this.connection.streamId(stream) ?? 0
    const [first] = this.connection.facts({ first: streamId, last: streamId })
    if (first?.id !== entityId) {
      const before = this.erased.find(entityId)
      if (before?.erasureId !== erasureId) return { response: { kind: 'missing' }, changedPages: 0 }
      const { position: closedAt } = before
      return {
        response: { kind: 'closed', position: closedAt, replayed: true },
        changedPages: 0,
      }
    }
    this.connection.insertFact(position, streamId, fact)
    this.statements.rename.run(erasedStream(entityId), streamId)
    const suppressed = suppress ? this.secret.hashOf(stream) : undefined
    this.erased.add({ entityId, streamId, erasureId, position, name: stream }, suppressed)
    this.suppressesAny ||= suppress
    return {
      response: { kind: 'closed', position, replayed: false },
      changedPages: pagesOfClosing,
      position,
      endedName: stream,
      endedStream: streamId,
    }
  }

  /** Puts stubs in place of some more of its facts, and then forgets its keys. */
  private remove(entityId: string): TakenStep {
    const row = this.erased.find(entityId)
    if (row === undefined) {
      return { response: { kind: 'removed', facts: {}, keys: 0, isDone: true }, changedPages: 0 }
    }
    const { streamId, position: end, facts, keys } = row
    const some = { removedTo: row.removedTo, facts: { ...facts }, keys, changed: 0 }
    const requestId = this.requestIdOf(end)
    const endsAt = performance.now() + sliceMs
    do this.removeSome(row, some, requestId)
    while (
      some.removedTo < end &&
      some.changed + factsAtOnce <= maxRemoved &&
      performance.now() < endsAt
    )
    this.erased.removed(entityId, some)
    const isDone = some.removedTo >= end && this.forgetSomeKeys(streamId)
    return {
      response: { kind: 'removed', facts: some.facts, keys: some.keys, isDone },
      changedPages: some.changed + pagesOfRow,
      endedStream: isDone ? streamId : undefined,
    }
  }

  private removeSome(
    { streamId, position: end }: ErasedStreamRow,
    some: RemovedSome,
    requestId: string,
  ): void {
    const until = Math.min(end, some.removedTo + positionsAtOnce)
    const found = this.statements.own.all(some.removedTo, until, streamId, factsAtOnce)
    some.removedTo = until
    for (const one of found) {
      const [at, ...columns] = valuesIn(one)
      const fact = factIn(columns)
      if (found.length === factsAtOnce) some.removedTo = Number(at)
      if (isErased(fact)) continue
      some.facts[fact.type] = (some.facts[fact.type] ?? 0) + 1
      if (keyIn(fact.metadata) !== undefined) some.keys += 1
      const stub = erasedFact(fact, requestId)
      this.statements.replace.run(stub.type, stub.data, stub.metadata, Number(at))
      some.changed += 1
    }
  }

  /** Whether none is left. */
  private forgetSomeKeys(streamId: number): boolean {
    const { forgetKeys, key } = this.statements
    forgetKeys.run(streamId, streamId, maxRemoved)
    return key.get(streamId) === undefined
  }

  private requestIdOf(position: number): string {
    const [metadata] = valuesIn(this.statements.metadata.get(position))
    return requestIdIn(String(metadata)) ?? ''
  }
}

function prepare(db: Database) {
  return {
    rename: db.prepare('UPDATE streams SET name = ? WHERE id = ?'),
    own: prepareRows(
      db,
      `SELECT position, id, type, data, metadata FROM facts
       WHERE position > ? AND position <= ? AND stream_id = ? ORDER BY position LIMIT ?`,
    ),
    replace: db.prepare('UPDATE facts SET type = ?, data = ?, metadata = ? WHERE position = ?'),
    metadata: prepareRows(db, 'SELECT metadata FROM facts WHERE position = ?'),
    key: prepareRows(db, 'SELECT 1 FROM append_keys WHERE stream_id = ? LIMIT 1'),
    forgetKeys: db.prepare(
      `DELETE FROM append_keys WHERE stream_id = ? AND key IN (
         SELECT key FROM append_keys WHERE stream_id = ? LIMIT ?)`,
    ),
  }
}
