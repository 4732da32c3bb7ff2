import { prepareRows, type Database } from '../../file/driver.js'
import { numberIn, valuesIn } from '../../file/row.js'
import { addDigest, digestIn, digestOf, digestText } from './hashes.js'
import type { EntityRow } from './entity-rows.js'

/** A segment whose members are kept. */
export interface KeptSegment {
  /** Its number in the table of members. */
  readonly id: number
  /** As evaluation knows it. */
  readonly active: string
  readonly bundle: number
  members: number
  digest: bigint
}

const nobody = digestText(0n)

/** The members of the segments of one bundle. */
export interface Members {
  /** Undefined: its members are not kept. */
  get(active: string): KeptSegment | undefined
  enter(kept: KeptSegment, row: EntityRow, since: number): void
  leave(kept: KeptSegment, row: EntityRow): void
  write(): void
}

/** The members of all segments that are evaluated here, with their number and digest. */
export class KeptSegments {
  private readonly statements: ReturnType<typeof prepare>
  private readonly byActive = new Map<string, KeptSegment>()
  private readonly changed = new Set<KeptSegment>()

  constructor(db: Database) {
    this.statements = prepare(db)
    for (const row of this.statements.all.all()) {
      const [id, active, bundle, members, digest] = valuesIn(row)
      const kept = {
        id: Number(id),
        active: String(active),
        bundle: Number(bundle),
        members: Number(members),
        digest: digestIn(String(digest)),
      }
      this.byActive.set(kept.active, kept)
    }
  }

  get(active: string): KeptSegment | undefined {
    return this.byActive.get(active)
  }

  /** Each as it is now: changes that come do not show. */
  copy(): ReadonlyMap<string, KeptSegment> {
    return new Map([...this.byActive].map(([active, kept]) => [active, { ...kept }]))
  }

  /** The members of those of a bundle. */
  in(bundle: number): Members {
    return {
      get: (active) => {
        const kept = this.byActive.get(active)
        return kept?.bundle === bundle ? kept : undefined
      },
      enter: (kept, row, since) => {
        this.enter(kept, row, since)
      },
      leave: (kept, row) => {
        this.leave(kept, row)
      },
      write: () => {
        this.write()
      },
    }
  }

  /** Those of a bundle. */
  of(bundle: number): readonly KeptSegment[] {
    return [...this.byActive.values()].filter((kept) => kept.bundle === bundle)
  }

  /** Nobody is in it. */
  begin(active: string, bundle: number): void {
    this.statements.begin.run(active, bundle, nobody)
    const id = numberIn(this.statements.find.get(active)) ?? 0
    this.byActive.set(active, { id, active, bundle, members: 0, digest: 0n })
  }

  /** From one bundle to another. */
  move(from: number, to: number): void {
    for (const kept of this.of(from)) this.byActive.set(kept.active, { ...kept, bundle: to })
    this.statements.move.run(to, from)
  }

  private enter(kept: KeptSegment, { entity, entityId }: EntityRow, since: number): void {
    this.statements.enter.run(kept.id, entity, since)
    kept.members += 1
    kept.digest = addDigest(kept.digest, digestOf(entityId))
    this.changed.add(kept)
  }

  private leave(kept: KeptSegment, { entity, entityId }: EntityRow): void {
    this.statements.leave.run(kept.id, entity)
    kept.members -= 1
    kept.digest = addDigest(kept.digest, -digestOf(entityId))
    this.changed.add(kept)
  }

  /** It is not evaluated any longer; its members are removed by and by. */
  drop(active: string): void {
    this.byActive.delete(active)
    this.statements.drop.run(active)
  }

  /** Removes members of segments that were dropped. False when there are none left. */
  removeSome(most: number): boolean {
    const orphan = numberIn(this.statements.orphan.get())
    if (orphan === undefined) return false
    this.statements.remove.run(orphan, orphan, most)
    return true
  }

  write(): void {
    for (const { active, members, digest } of this.changed) {
      this.statements.count.run(members, digestText(digest), active)
    }
    this.changed.clear()
  }
}

function prepare(db: Database) {
  return {
    all: prepareRows(db, 'SELECT id, active, bundle, members, digest FROM kept_segments'),
    find: prepareRows(db, 'SELECT id FROM kept_segments WHERE active = ?'),
    begin: db.prepare(
      'INSERT INTO kept_segments (active, bundle, members, digest) VALUES (?, ?, 0, ?)',
    ),
    move: db.prepare('UPDATE kept_segments SET bundle = ? WHERE bundle = ?'),
    count: db.prepare('UPDATE kept_segments SET members = ?, digest = ? WHERE active = ?'),
    enter: db.prepare('INSERT OR REPLACE INTO members VALUES (?, ?, ?)'),
    leave: db.prepare('DELETE FROM members WHERE segment = ? AND entity = ?'),
    drop: db.prepare('DELETE FROM kept_segments WHERE active = ?'),
    orphan: prepareRows(
      db,
      `WITH RECURSIVE numbers (segment) AS (
         SELECT min(segment) FROM members
         UNION ALL
         SELECT (SELECT min(segment) FROM members WHERE segment > numbers.segment)
         FROM numbers WHERE segment IS NOT NULL)
       SELECT segment FROM numbers
       WHERE segment IS NOT NULL AND segment NOT IN (SELECT id FROM kept_segments) LIMIT 1`,
    ),
    remove: db.prepare(
      `DELETE FROM members WHERE segment = ?1 AND entity IN (
         SELECT entity FROM members WHERE segment = ?2 LIMIT ?3)`,
    ),
  }
}
