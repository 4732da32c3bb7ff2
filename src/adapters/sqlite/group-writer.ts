import Database from 'libsql'
import type { Append } from '../../application/ports/event-store.js'
import { FactRows } from './fact-rows.js'
import type { Outcome } from './protocol.js'
import { reasonOf } from './reason-of.js'
import { RecentStreams } from './recent-streams.js'
import { factIn, numberIn, numbersIn } from './row.js'
import { valueOf } from './schema.js'

/** An answer, and the highest position that must be durable for it to be true. */
interface Decided {
  readonly outcome: Outcome
  readonly restsOn: number
}

/**
 * Writes groups of appends, one transaction and one flush a group. A refusal is decided before its
 * append writes anything, so it cannot fail its neighbours. Answers that rest on a fact of the
 * group share the fate of its commit; the others are true whatever becomes of it.
 */
export class GroupWriter {
  private readonly statements: Statements
  private readonly rows: FactRows
  private readonly streams = new RecentStreams()
  private head: number

  constructor(private readonly db: Database.Database) {
    this.statements = prepare(db)
    this.rows = new FactRows(db)
    this.head = Number(valueOf(db, 'SELECT max(position) FROM facts') ?? 0)
  }

  /** Never throws: each append has its outcome, and what was stored is on the disk. */
  write(group: readonly Append[]): readonly Outcome[] {
    const decided: Decided[] = []
    let next = this.head
    try {
      if (this.db.inTransaction) this.statements.rollback.run()
      this.statements.begin.run()
      for (const append of group) {
        const answer = this.decide(append, next)
        decided.push(answer)
        next = Math.max(next, answer.restsOn)
      }
      this.rows.write()
    } catch (error) {
      return this.failed(group, decided, { kind: 'unavailable', reason: reasonOf(error) })
    }
    try {
      this.statements.commit.run()
    } catch (error) {
      const kind = isCertainlyNotCommitted(error) ? 'unavailable' : 'unknown'
      return this.failed(group, decided, { kind, reason: reasonOf(error) })
    }
    this.head = next
    return decided.map(({ outcome }) => outcome)
  }

  private decide(append: Append, head: number): Decided {
    const { stream, expected, key } = append
    const streamId = this.streamId(stream)
    const keyBytes = key === undefined ? undefined : Buffer.from(key, 'hex')
    if (streamId !== undefined && keyBytes !== undefined) {
      const stored = this.statements.keyed.get([streamId, keyBytes])
      if (stored !== undefined) return this.replay(stored)
    }
    if (expected === 'new' && streamId !== undefined) {
      return { outcome: { kind: 'exists' }, restsOn: streamId }
    }
    if (expected === 'existing' && streamId === undefined) {
      return { outcome: { kind: 'missing' }, restsOn: 0 }
    }
    return this.insert(append, keyBytes, head + 1, streamId)
  }

  private streamId(name: string): number | undefined {
    const recent = this.streams.idOf(name)
    if (recent !== undefined) return recent
    const found = numberIn(this.statements.streamId.get([name]))
    if (found !== undefined) this.streams.add(name, found)
    return found
  }

  private insert(
    { stream, facts }: Append,
    key: Buffer | undefined,
    first: number,
    known: number | undefined,
  ): Decided {
    const streamId = known ?? first
    if (known === undefined) {
      this.statements.insertStream.run([streamId, stream])
      this.streams.add(stream, streamId)
    }
    let position = first - 1
    for (const fact of facts) {
      position += 1
      this.rows.add(position, streamId, fact)
    }
    if (key !== undefined) {
      this.statements.insertKey.run([streamId, key, first, position])
    }
    return { outcome: position, restsOn: position }
  }

  private replay(stored: unknown): Decided {
    const [first = 0, last = 0] = numbersIn(stored)
    this.rows.write()
    const facts = this.statements.facts.all([first, last]).map(factIn)
    return { outcome: { kind: 'replayed', position: last, facts }, restsOn: last }
  }

  private failed(
    group: readonly Append[],
    decided: readonly Decided[],
    failure: { readonly kind: 'unavailable' | 'unknown'; readonly reason: string },
  ): readonly Outcome[] {
    this.rows.drop()
    this.streams.forgetAll()
    if (this.db.inTransaction) this.rollBack()
    return group.map((_append, index) => {
      const answer = decided[index]
      return answer !== undefined && answer.restsOn <= this.head ? answer.outcome : failure
    })
  }

  /** A roll-back that fails is tried again before the next group: until then nothing is written. */
  private rollBack(): void {
    try {
      this.statements.rollback.run()
    } catch (error) {
      if (!(error instanceof Database.SqliteError)) throw error
    }
  }
}

/**
 * Whether a failed COMMIT surely left nothing behind: the disk had no room for the frames, or the
 * lock was not given. After any other failure (a flush that failed, say) the frames may be in the
 * log, and a crash now could bring them back.
 */
export function isCertainlyNotCommitted(error: unknown): boolean {
  if (!(error instanceof Database.SqliteError)) return false
  return error.code === 'SQLITE_FULL' || error.code.startsWith('SQLITE_BUSY')
}

type Statements = ReturnType<typeof prepare>

function prepare(db: Database.Database) {
  return {
    begin: db.prepare('BEGIN IMMEDIATE'),
    commit: db.prepare('COMMIT'),
    rollback: db.prepare('ROLLBACK'),
    streamId: db.prepare('SELECT id FROM streams WHERE name = ?').raw(),
    keyed: db
      .prepare(
        'SELECT first_position, last_position FROM append_keys WHERE stream_id = ? AND key = ?',
      )
      .raw(),
    facts: db
      .prepare(
        'SELECT id, type, data, metadata FROM facts WHERE position BETWEEN ? AND ? ORDER BY position',
      )
      .raw(),
    insertStream: db.prepare('INSERT INTO streams VALUES (?, ?)'),
    insertKey: db.prepare('INSERT INTO append_keys VALUES (?, ?, ?, ?)'),
  }
}
