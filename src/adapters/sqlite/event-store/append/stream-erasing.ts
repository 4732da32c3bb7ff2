import { erasedFact, isErased } from '../../../../application/facts/fact-format.js'
import { keyIn, requestIdIn } from '../../../../application/facts/metadata.js'
import { erasedStream } from '../../../../domain/erasures.js'
import { prepareRows, type Database } from '../../file/driver.js'
import { ErasedStreams, type ErasedStreamRow } from '../../file/erased-streams.js'
import type { NameSecret } from '../../file/name-secret.js'
import { ErasedPositions } from './erased-positions.js'
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
  private readonly positions: ErasedPositions
  private suppressesAny: boolean

  constructor(
    private readonly connection: WriteConnection,
    private readonly secret: NameSecret,
  ) {
    this.statements = prepare(connection.db)
    this.erased = new ErasedStreams(connection.db)
    this.positions = new ErasedPositions(connection.db, this.erased)
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
    const some = { removedTo: row.removedTo, facts: { ...row.facts }, keys: row.keys, changed: 0 }
    const isWhole = row.removedTo >= row.position || this.removeSome(row, some)
    if (some.removedTo > row.removedTo) this.erased.removed(entityId, some)
    const isDone = isWhole && this.forgetSomeKeys(row.streamId)
    return {
      response: { kind: 'removed', facts: some.facts, keys: some.keys, isDone },
      changedPages: some.changed + pagesOfRow,
      endedStream: isDone ? row.streamId : undefined,
    }
  }

  /** True: those were the last of the stream. */
  private removeSome(row: ErasedStreamRow, some: RemovedSome): boolean {
    const endsAt = performance.now() + sliceMs
    const positions = this.positions.next(row, maxRemoved, endsAt)
    if (positions === undefined) return false
    const requestId = this.requestIdOf(row.position)
    for (const [index, position] of positions.entries()) {
      if (index % factsAtOnce === 0 && index > 0 && performance.now() >= endsAt) return false
      this.removeAt(position, some, requestId)
      some.removedTo = position
    }
    if (positions.length === maxRemoved) return false
    some.removedTo = row.position
    this.positions.forget(row.streamId)
    return true
  }

  private removeAt(position: number, some: RemovedSome, requestId: string): void {
    const { fact: select, replace } = this.statements
    const fact = factIn(select.get(position))
    if (isErased(fact)) return
    some.facts[fact.type] = (some.facts[fact.type] ?? 0) + 1
    if (keyIn(fact.metadata) !== undefined) some.keys += 1
    const stub = erasedFact(fact, requestId)
    replace.run(stub.type, stub.data, stub.metadata, position)
    some.changed += 1
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
    fact: prepareRows(db, 'SELECT id, type, data, metadata FROM facts WHERE position = ?'),
    replace: db.prepare('UPDATE facts SET type = ?, data = ?, metadata = ? WHERE position = ?'),
    metadata: prepareRows(db, 'SELECT metadata FROM facts WHERE position = ?'),
    key: prepareRows(db, 'SELECT 1 FROM append_keys WHERE stream_id = ? LIMIT 1'),
    forgetKeys: db.prepare(
      `DELETE FROM append_keys WHERE stream_id = ? AND key IN (
         SELECT key FROM append_keys WHERE stream_id = ? LIMIT ?)`,
    ),
  }
}
