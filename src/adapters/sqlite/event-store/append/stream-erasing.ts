import { erasedFact, isErased } from '../../../../application/facts/fact-format.js'
import { factTable } from '../../../../application/facts/fact-table.js'
import { keyIn, requestIdIn } from '../../../../application/facts/metadata.js'
import { entityStream } from '../../../../domain/entity.js'
import { erasedStream } from '../../../../domain/erasures.js'
import { prepareRows, type Database } from '../../file/driver.js'
import { ErasedStreams, type ErasedStreamRow } from '../../file/erased-streams.js'
import type { NameSecret } from '../../file/name-secret.js'
import type { ClosingStream, EraseResponse, EraseStep, RemovedSoFar } from './protocol.js'
import type { WriteConnection } from './write-connection.js'
import { factIn, valuesIn } from '../../file/row.js'

type RemoveStep = Extract<EraseStep, { kind: 'remove' }>

/** Facts that one transaction removes. */
const maxRemoved = 200
/** Positions that are looked at for them: there is no index of facts by stream. */
const maxLookedAt = 5_000

/**
 * What erasing does to the tables, inside transactions that its caller makes. Every method throws what
 * SQLite says.
 */
export class StreamErasing {
  private readonly statements: ReturnType<typeof prepare>
  readonly erased: ErasedStreams
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
  take(step: EraseStep, head: number): EraseResponse {
    switch (step.kind) {
      case 'close':
        return this.close(step, head + 1)
      case 'remove':
        return { kind: 'removed', ...this.remove(step) }
      case 'release':
        this.erased.release(step.entityId)
        this.suppressesAny = this.erased.suppressesAny()
        return { kind: 'released' }
      case 'forget_name':
        this.erased.forgetName(step.entityId)
        return { kind: 'released' }
    }
  }

  /** Adds the last fact of a stream, at `position`, and renames the stream. */
  private close(closing: ClosingStream, position: number): EraseResponse {
    const { stream, entityId, erasureId, suppress, fact } = closing
    const streamId = this.connection.streamId(stream) ?? 0
    const [first] = this.connection.facts({ first: streamId, last: streamId })
    if (first?.id !== entityId) {
      const before = this.erased.find(entityId)
      if (before?.erasureId !== erasureId) return { kind: 'missing' }
      return { kind: 'closed', position: before.position, replayed: true }
    }
    this.connection.insertFact(position, streamId, fact)
    this.statements.rename.run(erasedStream(entityId), streamId)
    const suppressed = suppress ? this.secret.hashOf(stream) : undefined
    this.erased.add({ entityId, streamId, erasureId, position, name: stream }, suppressed)
    this.suppressesAny ||= suppress
    return { kind: 'closed', position, replayed: false }
  }

  /** Puts stubs in place of some more of its facts. */
  private remove({ entityId, closedAt }: RemoveStep): RemovedSoFar {
    const row = this.erased.find(entityId) ?? this.copied(entityId, closedAt)
    if (row === undefined) return { facts: {}, keys: 0, isDone: true }
    const { streamId, position: end, removedTo } = row
    const until = Math.min(end, removedTo + maxLookedAt)
    const found = this.statements.own.all(removedTo, until, streamId, maxRemoved)
    const facts: Record<string, number> = { ...row.facts }
    let { keys } = row
    let last = until
    for (const one of found) {
      const [at, ...columns] = valuesIn(one)
      const fact = factIn(columns)
      if (found.length === maxRemoved) last = Number(at)
      if (isErased(fact)) continue
      facts[fact.type] = (facts[fact.type] ?? 0) + 1
      if (keyIn(fact.metadata) !== undefined) keys += 1
      const stub = erasedFact(fact, this.requestIdOf(end))
      this.statements.replace.run(stub.type, stub.data, stub.metadata, Number(at))
    }
    const isDone = last >= end
    this.erased.removed(entityId, { ...row, removedTo: last, facts, keys })
    if (isDone) this.statements.forgetKeys.run(streamId)
    return { facts, keys, isDone }
  }

  /** A stream that was closed in the store that this file was copied from: its facts may all be here. */
  private copied(entityId: string, closedAt: number | undefined): ErasedStreamRow | undefined {
    const streamId = this.connection.streamId(erasedStream(entityId))
    if (streamId === undefined || closedAt === undefined) return undefined
    const [last] = this.connection.facts({ first: closedAt, last: closedAt })
    const erasureId = last && factTable.EntityErased.read(last)?.data.erasureId
    if (erasureId === undefined) throw new TypeError('a stream is closed by an EntityErased')
    const [first] = this.connection.facts({ first: streamId, last: streamId })
    const externalId = first && factTable.EntityCreated.read(first)?.data.externalId
    const name = externalId === undefined ? undefined : entityStream(externalId)
    this.erased.add({ entityId, streamId, erasureId, position: closedAt, name }, undefined)
    return this.erased.find(entityId)
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
    forgetKeys: db.prepare('DELETE FROM append_keys WHERE stream_id = ?'),
  }
}
