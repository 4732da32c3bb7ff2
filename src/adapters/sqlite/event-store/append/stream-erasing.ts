import { erasedFact, isErased } from '../../../../application/facts/erased-fact.js'
import { keyIn, requestIdIn } from '../../../../application/facts/metadata.js'
import type { StoredFact } from '../../../../application/facts/stored-fact.js'
import { erasedStream } from '../../../../domain/erasures.js'
import { prepareRows, type Database } from '../../file/driver.js'
import { ErasedStreams, type ErasedStreamRow } from '../../file/erased-streams.js'
import type { NameSecret } from '../../file/name-secret.js'
import { factIn, valuesIn } from '../../file/row.js'

/** Facts that one transaction removes. */
const maxRemoved = 200
/** Positions that are looked at for them: there is no index of facts by stream. */
const maxLookedAt = 5_000

export interface ClosingStream {
  readonly stream: string
  readonly entityId: string
  readonly erasureId: string
  readonly fact: StoredFact
  readonly suppress: boolean
}

export interface RemovedSoFar {
  readonly facts: Readonly<Record<string, number>>
  readonly keys: number
  readonly isDone: boolean
}

/**
 * What erasing does to the tables, inside transactions that its caller makes. Every method throws what
 * SQLite says.
 */
export class StreamErasing {
  private readonly statements: ReturnType<typeof prepare>
  readonly erased: ErasedStreams
  private suppressesAny: boolean

  constructor(
    db: Database,
    private readonly secret: NameSecret,
  ) {
    this.statements = prepare(db)
    this.erased = new ErasedStreams(db)
    this.suppressesAny = this.erased.suppressesAny()
  }

  /** The id of the erased entity whose stream it was, while that name is suppressed. */
  suppressedBy(stream: string): string | undefined {
    return this.suppressesAny ? this.erased.suppressed(this.secret.hashOf(stream)) : undefined
  }

  /** Renames the stream, whose last fact is at `position` now. */
  close(
    { stream, entityId, erasureId, suppress }: ClosingStream,
    streamId: number,
    position: number,
  ): void {
    this.statements.rename.run(erasedStream(entityId), streamId)
    const row: ErasedStreamRow = {
      entityId,
      streamId,
      erasureId,
      position,
      name: stream,
      removedTo: streamId - 1,
      facts: {},
      keys: 0,
    }
    this.erased.add(row, suppress ? this.secret.hashOf(stream) : undefined)
    this.suppressesAny ||= suppress
  }

  /** Puts stubs in place of some more of its facts. */
  remove(entityId: string): RemovedSoFar {
    const row = this.erased.find(entityId)
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

  release(entityId: string): void {
    this.erased.release(entityId)
    this.suppressesAny = this.erased.suppressesAny()
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
