import { setImmediate as nextTurn } from 'node:timers/promises'
import { ReadModelBehind, TooManyFacts } from '../../../application/reading/errors.js'
import type { Queries } from '../../../application/reading/ports/read-model.js'
import { isEntityFact, profileAfter, tookEffectAt, type Profile } from '../../../domain/profile.js'
import { prepareRows, type Database } from '../file/driver.js'
import { numbersIn } from '../file/row.js'
import { factsAtOnce, FoldTurns, maxFoldedFacts } from './fold-turns.js'
import type { KnownFacts } from './known-facts.js'

/** Profiles as they were: folded on demand of the entity's own facts. */
export class PastQueries {
  private readonly statements: ReturnType<typeof prepare>
  private readonly turns = new FoldTurns()

  constructor(
    db: Database,
    private readonly facts: KnownFacts,
  ) {
    this.statements = prepare(db)
  }

  /**
   * Of the facts up to the position `until`. Throws `TooManyFacts`, and `ReadModelBehind` when too many
   * others wait, or it takes too long.
   */
  profile(
    entity: number,
    query: Queries['profileAt']['ask'],
    until: number,
  ): Promise<Profile | undefined> {
    return this.turns.take(until, (dueAt) => this.fold(entity, query, { until, dueAt }))
  }

  private async fold(
    entity: number,
    { asOf = Number.MAX_SAFE_INTEGER, knownAt }: Queries['profileAt']['ask'],
    { until, dueAt }: { readonly until: number; readonly dueAt: number },
  ): Promise<Profile | undefined> {
    const last = this.lastKnown(entity, until, knownAt)
    let profile: Profile | undefined
    for (let after = 0; after < last;) {
      if (performance.now() > dueAt) throw new ReadModelBehind(until)
      const rows = this.statements.positions.all(entity, after, last, factsAtOnce)
      const positions = rows.map((row) => numbersIn(row)[0] ?? 0)
      for (const fact of this.facts.many(positions)) {
        if (!isEntityFact(fact) || Date.parse(tookEffectAt(fact)) > asOf) continue
        profile = profileAfter(profile, fact)
      }
      after = positions.at(-1) ?? last
      await nextTurn()
    }
    return profile
  }

  /** The position of the last fact that was known; 0 when none was. */
  private lastKnown(entity: number, until: number, knownAt = Number.MAX_SAFE_INTEGER): number {
    const known = this.statements.known.get(entity, until, knownAt, maxFoldedFacts + 1)
    const [count = 0, last = 0] = numbersIn(known)
    if (count > maxFoldedFacts) {
      throw new TooManyFacts(`more than ${String(maxFoldedFacts)} facts would be folded`)
    }
    return last
  }
}

function prepare(db: Database) {
  return {
    known: prepareRows(
      db,
      `SELECT count(*), coalesce(max(position), 0) FROM (
         SELECT position, log_time FROM places WHERE entity = ?1 AND position <= ?2
         ORDER BY position LIMIT ?4)
       WHERE log_time <= ?3`,
    ),
    positions: prepareRows(
      db,
      `SELECT position FROM places WHERE entity = ? AND position > ? AND position <= ?
       ORDER BY position LIMIT ?`,
    ),
  }
}
