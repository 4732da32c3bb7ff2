import { setImmediate as nextTurn } from 'node:timers/promises'
import { TooManyFacts } from '../../../application/reading/errors.js'
import type { Queries } from '../../../application/reading/ports/read-model.js'
import { profileAfter, tookEffectAt, type Profile } from '../../../domain/profile.js'
import { prepareRows, type Database } from '../file/driver.js'
import { numbersIn } from '../file/row.js'
import type { KnownFacts } from './known-facts.js'

/** So many facts are folded for one answer. */
export const maxFoldedFacts = 100_000

/** So many are folded before others have their turn. */
const factsAtOnce = 200

/** Profiles as they were: folded on demand of the entity's own facts. */
export class PastQueries {
  private readonly statements: ReturnType<typeof prepare>

  constructor(
    db: Database,
    private readonly facts: KnownFacts,
  ) {
    this.statements = prepare(db)
  }

  /** Of the facts up to the position `until`. Throws `TooManyFacts`. */
  async profile(
    entity: number,
    {
      asOf = Number.MAX_SAFE_INTEGER,
      knownAt = Number.MAX_SAFE_INTEGER,
    }: Queries['profileAt']['ask'],
    until: number,
  ): Promise<Profile | undefined> {
    const [count = 0, last = 0] = numbersIn(
      this.statements.known.get(entity, until, knownAt, maxFoldedFacts + 1),
    )
    if (count > maxFoldedFacts) {
      throw new TooManyFacts(`more than ${String(maxFoldedFacts)} facts would be folded`)
    }
    let profile: Profile | undefined
    for (let after = 0; after < last;) {
      const positions = this.statements.positions.all(entity, after, last, factsAtOnce)
      for (const row of positions) {
        const [position = 0] = numbersIn(row)
        const { fact } = this.facts.at(position)
        if (Date.parse(tookEffectAt(fact)) <= asOf) profile = profileAfter(profile, fact)
        after = position
      }
      await nextTurn()
    }
    return profile
  }
}

function prepare(db: Database) {
  return {
    known: prepareRows(
      db,
      `SELECT count(*), coalesce(max(position), 0) FROM (
         SELECT position FROM places WHERE entity = ? AND position <= ? AND log_time <= ? LIMIT ?)`,
    ),
    positions: prepareRows(
      db,
      `SELECT position FROM places WHERE entity = ? AND position > ? AND position <= ?
       ORDER BY position LIMIT ?`,
    ),
  }
}
