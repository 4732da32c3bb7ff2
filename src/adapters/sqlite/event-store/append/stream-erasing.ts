import { keyIn } from '../../../../application/facts/metadata-text.js'
import { erasedStream } from '../../../../domain/erasures.js'
import { prepareRows, type Database } from '../../file/driver.js'
import { ErasedStreams, type ErasedStreamRow } from '../../file/erased-streams.js'
import type { NameSecret } from '../../file/name-secret.js'
import { ErasedPositions } from './erased-positions.js'
import type { ClosingStream, EraseResponse, EraseStep } from './protocol.js'
import type * as placeholders from './placeholders.js'
import type { WriteConnection } from './write-connection.js'
import { factIn, valuesIn } from '../../file/row.js'

type Placeholders = typeof placeholders
type Removal = Extract<EraseStep, { readonly kind: 'remove' }>

/** An erasure request. A removal also contains the functions that make placeholders. */
export type LoadedStep =
  | Exclude<EraseStep, Removal>
  | (Removal & { readonly placeholders: Placeholders })

/** The result of one erasure request, before the commit of its transaction. */
export interface TakenStep {
  readonly response: EraseResponse
  /** The estimated number of pages that the request changed. */
  readonly changedPages: number
  /** The position of the fact that the request stored. Undefined when it stored none. */
  readonly position?: number
  /** The former name of the stream, if the request renamed the stream. */
  readonly endedName?: string
  /** The id of a stream whose idempotency keys are no longer valid. */
  readonly endedStream?: number | undefined
}

/**
 * The progress of the removal of one entity's facts. It includes earlier transactions and the current
 * transaction.
 */
interface RemovedSome {
  removedTo: number
  facts: Record<string, number>
  keys: number
  /** The number of facts that the current transaction changed. */
  changed: number
}

/** The most facts, and the most idempotency keys, that one transaction removes. */
const maxRemoved = 200
/** The longest duration of a removal, in milliseconds. Appends wait during that time. */
const sliceMs = 2
/** The number of facts that a removal replaces before it checks the clock again. */
const factsAtOnce = 25
/**
 * The estimated number of pages that one change to table `erased` writes, and the number that the soft-delete of a
 * stream writes.
 */
const pagesOfRow = 2
const pagesOfClosing = 5

/**
 * Changes the tables for an erasure. The caller provides the transaction. Every method throws SQLite errors.
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

  /** Returns the id of the erased entity that owned the stream, if reuse of the external id is blocked. */
  suppressedBy(stream: string): string | undefined {
    return this.suppressesAny ? this.erased.suppressed(this.secret.hashOf(stream)) : undefined
  }

  /** Carries out one erasure request. `head` is the position of the newest fact. */
  take(step: LoadedStep, head: number): TakenStep {
    switch (step.kind) {
      case 'close':
        return this.close(step, head + 1)
      case 'remove':
        return this.remove(step.entityId, step.placeholders)
      case 'release':
        // `suppressesAny` stays true until the next start, because the commit may still fail.
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

  /** Soft-deletes a stream: adds `EntityErased` at `position` as the last fact, and renames the stream. */
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

  /**
   * Replaces some of the remaining facts of an entity by redacted placeholders. When all facts are replaced,
   * deletes the entity's idempotency keys.
   */
  private remove(entityId: string, placeholders: Placeholders): TakenStep {
    const row = this.erased.find(entityId)
    if (row === undefined) {
      return { response: { kind: 'removed', facts: {}, keys: 0, isDone: true }, changedPages: 0 }
    }
    const some = { removedTo: row.removedTo, facts: { ...row.facts }, keys: row.keys, changed: 0 }
    const hasNoFacts = row.removedTo >= row.position || this.removeSome(row, some, placeholders)
    if (some.removedTo > row.removedTo) this.erased.removed(entityId, some)
    const isDone = hasNoFacts && this.forgetSomeKeys(row.streamId)
    return {
      response: { kind: 'removed', facts: some.facts, keys: some.keys, isDone },
      changedPages: some.changed + pagesOfRow,
      endedStream: isDone ? row.streamId : undefined,
    }
  }

  /**
   * Replaces some of the remaining facts of a stream. Returns true when all facts of the stream are replaced.
   */
  private removeSome(row: ErasedStreamRow, some: RemovedSome, placeholders: Placeholders): boolean {
    const endsAt = performance.now() + sliceMs
    const positions = this.positions.next(row, maxRemoved, endsAt)
    if (positions === undefined) return false
    const [metadata] = valuesIn(this.statements.metadata.get(row.position))
    const requestId = placeholders.requestIdIn(String(metadata)) ?? ''
    for (const [index, position] of positions.entries()) {
      if (index % factsAtOnce === 0 && index > 0 && performance.now() >= endsAt) return false
      this.removeAt(position, some, requestId, placeholders)
      some.removedTo = position
    }
    if (positions.length === maxRemoved) return false
    some.removedTo = row.position
    this.positions.forget(row.streamId)
    return true
  }

  private removeAt(
    position: number,
    some: RemovedSome,
    requestId: string,
    { isErased, erasedFact }: Placeholders,
  ): void {
    const { fact: select, replace } = this.statements
    const fact = factIn(select.get(position))
    if (isErased(fact)) return
    some.facts[fact.type] = (some.facts[fact.type] ?? 0) + 1
    if (keyIn(fact.metadata) !== undefined) some.keys += 1
    const placeholder = erasedFact(fact, requestId)
    replace.run(placeholder.type, placeholder.data, placeholder.metadata, position)
    some.changed += 1
  }

  /** Deletes some idempotency keys of a stream. Returns true when no key is left. */
  private forgetSomeKeys(streamId: number): boolean {
    const { forgetKeys, key } = this.statements
    forgetKeys.run(streamId, streamId, maxRemoved)
    return key.get(streamId) === undefined
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
