import { BufferedInsert } from '../../../file/buffered-insert.js'
import { type Database, prepareAll, type Statements } from '../../../file/driver.js'
import { numberIn, valuesIn } from '../../../file/row.js'
import { addDigest, digestIn, digestText } from '../hashes.js'
import type { LentProfiles } from '../../thread/lent-profiles.js'
import { memberDigest, type EntityRow } from './entity-states.js'

/** One version of a segment's rule that this read model evaluates. */
export interface Generation {
  readonly id: number
  /** The id of the rule version in the domain's segment sets. */
  readonly active: string
  /**
   * True when the rule version is backfilled. While a backfill runs, `members` counts only entities that the
   * backfill has replayed.
   */
  readonly isBuilt: boolean
  members: number
  digest: bigint
}

const emptyDigest = digestText(0n)

/**
 * The number of buffered membership changes above which the changes are written before the commit, so that the
 * commit fits into a slice.
 */
const maxWaiting = 2_000

/**
 * The rule versions that this read model evaluates, with the number and digest of their members. The table
 * `members` contains the members themselves.
 */
export class Generations {
  private readonly statements: Statements<typeof sql>
  private readonly byActive = new Map<string, Generation>()
  private readonly entered: BufferedInsert
  private waiting = 0
  /**
   * The membership changes that are not written yet, by rule version and entity. The value is the start of the
   * membership, or undefined when the entity left.
   */
  private readonly changed = new Map<Generation, Map<number, number | undefined>>()

  constructor(
    db: Database,
    private readonly lent: LentProfiles,
  ) {
    this.statements = prepareAll(db, sql)
    this.entered = new BufferedInsert(db, 'members', 'INSERT OR REPLACE')
    for (const row of this.statements.all.all()) {
      const [id, active, isBuilt, members, digest] = valuesIn(row)
      const generation = {
        id: Number(id),
        active: String(active),
        isBuilt: isBuilt === 1,
        members: Number(members),
        digest: digestIn(String(digest)),
      }
      this.byActive.set(generation.active, generation)
    }
  }

  get(active: string): Generation | undefined {
    return this.byActive.get(active)
  }

  readonly numberOf = (active: string): number | undefined => this.byActive.get(active)?.id

  /**
   * Returns the evaluated rule version with this id. Returns undefined when there is none or when its backfill
   * is not complete.
   */
  built(active: string): Generation | undefined {
    const generation = this.byActive.get(active)
    return generation?.isBuilt === true ? generation : undefined
  }

  get all(): readonly Generation[] {
    return [...this.byActive.values()]
  }

  get building(): readonly Generation[] {
    return this.all.filter(({ isBuilt }) => !isBuilt)
  }

  /** Returns a copy of the rule versions that are backfilled. Later changes do not affect the copy. */
  copy(): ReadonlyMap<string, Generation> {
    const built = this.all.filter(({ isBuilt }) => isBuilt)
    return new Map(built.map((generation) => [generation.active, { ...generation }]))
  }

  begin(active: string, isBuilt: boolean): void {
    this.statements.begin.run(active, Number(isBuilt), emptyDigest)
    const id = numberIn(this.statements.find.get(active)) ?? 0
    this.byActive.set(active, { id, active, isBuilt, members: 0, digest: 0n })
  }

  finish(): void {
    this.write()
    for (const generation of this.building) {
      this.byActive.set(generation.active, { ...generation, isBuilt: true })
    }
    this.statements.finish.run()
  }

  enter(generation: Generation, row: EntityRow, since: number): void {
    this.change(generation, row, since)
    generation.members += 1
    generation.digest = addDigest(generation.digest, memberDigest(row))
  }

  leave(generation: Generation, row: EntityRow): void {
    this.change(generation, row, undefined)
    generation.members -= 1
    generation.digest = addDigest(generation.digest, -memberDigest(row))
  }

  get isFull(): boolean {
    return this.waiting > maxWaiting
  }

  private change(generation: Generation, { entity }: EntityRow, since: number | undefined): void {
    const changes = this.changed.get(generation) ?? new Map<number, number | undefined>()
    this.changed.set(generation, changes)
    changes.set(entity, since)
    this.waiting += 1
    this.lent.end(entity)
  }

  /** Stops evaluating a rule version. Later calls of `removeSome` remove its members. */
  drop(active: string): void {
    const generation = this.byActive.get(active)
    if (generation !== undefined) this.changed.delete(generation)
    this.byActive.delete(active)
    this.statements.drop.run(active)
  }

  /** Removes up to `most` members of one dropped rule version. Returns false when no such members are left. */
  removeSome(most: number): boolean {
    const orphan = numberIn(this.statements.orphan.get())
    if (orphan === undefined) return false
    this.statements.remove.run(orphan, orphan, most)
    return true
  }

  write(): void {
    for (const [{ id, active, members, digest }, changes] of this.changed) {
      for (const entity of [...changes.keys()].sort((left, right) => left - right)) {
        const since = changes.get(entity)
        if (since === undefined) this.statements.leave.run(id, entity)
        else this.entered.add(id, entity, since)
      }
      this.entered.write()
      this.statements.count.run(members, digestText(digest), active)
    }
    this.changed.clear()
    this.waiting = 0
  }
}

const sql = {
  all: 'SELECT id, active, is_built, members, digest FROM generations',
  find: 'SELECT id FROM generations WHERE active = ?',
  begin: 'INSERT INTO generations (active, is_built, members, digest) VALUES (?, ?, 0, ?)',
  finish: 'UPDATE generations SET is_built = 1 WHERE is_built = 0',
  count: 'UPDATE generations SET members = ?, digest = ? WHERE active = ?',
  leave: 'DELETE FROM members WHERE segment = ? AND entity = ?',
  drop: 'DELETE FROM generations WHERE active = ?',
  orphan: `WITH RECURSIVE numbers (segment) AS (
         SELECT min(segment) FROM members
         UNION ALL
         SELECT (SELECT min(segment) FROM members WHERE segment > numbers.segment)
         FROM numbers WHERE segment IS NOT NULL)
       SELECT segment FROM numbers
       WHERE segment IS NOT NULL AND segment NOT IN (SELECT id FROM generations) LIMIT 1`,
  remove: `DELETE FROM members WHERE segment = ?1 AND entity IN (
         SELECT entity FROM members WHERE segment = ?2 LIMIT ?3)`,
}
