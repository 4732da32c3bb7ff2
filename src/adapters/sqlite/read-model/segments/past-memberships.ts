import { setImmediate as nextTurn } from 'node:timers/promises'
import { ReadModelBehind, TooManyFacts } from '../../../../application/reading/errors.js'
import type { Subject } from '../../../../domain/segments/entity-state.js'
import type { SubjectFact } from '../../../../domain/segments/replay.js'
import { prepareRows, type Database } from '../../file/driver.js'
import { numberIn, numbersIn, valuesIn } from '../../file/row.js'
import { factsAtOnce, FoldTurns, maxFoldedFacts } from '../fold-turns.js'
import type { KnownFacts } from '../known-facts.js'
import { foldMembership, type Folded, type PlacedFact, type Told } from './fold-membership.js'
import { bucketOf } from './hashes.js'
import type { KnownPrefix } from './log-times.js'
import { subjectOf } from './subject-of.js'

/** What a request folds. */
export interface Folding {
  readonly entities: readonly number[]
  readonly known: KnownPrefix
  /** Of the last fact that is known here. */
  readonly position: number
}

export type OnFact = (fact: SubjectFact) => void

/** Memberships folded on demand, of an entity's own facts. */
export class PastMemberships {
  private readonly statements: ReturnType<typeof prepare>
  private readonly turns = new FoldTurns()

  constructor(
    db: Database,
    private readonly facts: KnownFacts,
  ) {
    this.statements = prepare(db)
  }

  /**
   * Does what a request needs; `dueAt`: when `fold` gives up. Throws `TooManyFacts` when it would fold more
   * than 100,000, and `ReadModelBehind` when too many others wait, or it takes too long.
   */
  allow<T>(folding: Folding, work: (dueAt: number) => Promise<T>): Promise<T> {
    return this.turns.take(folding.position, (dueAt) => {
      this.refuseTooMany(folding)
      return work(dueAt)
    })
  }

  /** They are counted before: whoever asks for too much is told so, and not to ask again. */
  private refuseTooMany({ entities, known }: Folding): void {
    let left = maxFoldedFacts
    for (const entity of entities) {
      left -= numberIn(this.statements.count.get(entity, known.position, left + 1)) ?? 0
      if (left >= 0) continue
      throw new TooManyFacts(`more than ${String(maxFoldedFacts)} facts would be folded`)
    }
  }

  /** Undefined: the entity was not there. `onFact`: given each fact that is folded, as it is read. */
  async fold(
    entity: number,
    told: Told,
    dueAt: number,
    onFact: OnFact = () => undefined,
  ): Promise<Folded | undefined> {
    const own = await this.placedFacts(entity, told, dueAt, onFact)
    const subject = this.subject(entity)
    return subject && foldMembership(subject, own, told)
  }

  private async placedFacts(
    entity: number,
    { known }: Told,
    dueAt: number,
    onFact: OnFact,
  ): Promise<readonly PlacedFact[]> {
    const placed: PlacedFact[] = []
    for (let after = 0; ;) {
      if (performance.now() > dueAt) throw new ReadModelBehind(known.position)
      const rows = this.statements.places
        .all(entity, after, known.position, factsAtOnce)
        .map(numbersIn)
      const facts = this.facts.many(rows.map(([position = 0]) => position))
      rows.forEach(([position = 0, logTime = 0], at) => {
        const fact = facts[at] && subjectOf(facts[at])?.fact
        if (fact === undefined) return
        onFact(fact)
        placed.push({ fact, position, logTime })
        after = position
      })
      if (rows.length < factsAtOnce) return placed
      await nextTurn()
    }
  }

  private subject(entity: number): Subject | undefined {
    const row = this.statements.subject.get(entity)
    if (row === undefined) return undefined
    const [externalId, createdAt] = valuesIn(row)
    const text = String(externalId)
    return {
      externalId: text,
      createdAt: Number(createdAt),
      bucketOf: (salt) => bucketOf(salt, text),
    }
  }
}

function prepare(db: Database) {
  return {
    places: prepareRows(
      db,
      `SELECT position, log_time FROM places WHERE entity = ? AND position > ? AND position <= ?
       ORDER BY position LIMIT ?`,
    ),
    count: prepareRows(
      db,
      `SELECT count(*) FROM (SELECT 1 FROM places WHERE entity = ? AND position <= ? LIMIT ?)`,
    ),
    subject: prepareRows(db, 'SELECT external_id, created_at FROM entities WHERE entity = ?'),
  }
}
