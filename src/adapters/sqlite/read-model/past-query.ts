import { setImmediate as nextTurn } from 'node:timers/promises'
import { ReadModelBehind, TooManyFacts } from '../../../application/reading/errors.js'
import type { Queries } from '../../../application/reading/ports/read-model.js'
import { profileAfter, tookEffectAt, type Profile } from '../../../domain/profile.js'
import { prepareRows, type Database } from '../file/driver.js'
import { numbersIn } from '../file/row.js'
import type { KnownFacts } from './known-facts.js'

/** So many facts are folded for one answer. */
export const maxFoldedFacts = 100_000

/** So many answers are folded at a time, so many may wait, and so long may one take, in milliseconds. */
const maxFolding = 2
const maxWaiting = 32
const maxFoldMs = 10_000

/** So many are folded before others have their turn. */
const factsAtOnce = 200

/** Profiles as they were: folded on demand of the entity's own facts. */
export class PastQueries {
  private readonly statements: ReturnType<typeof prepare>
  private folding = 0
  private readonly waiting: (() => void)[] = []

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
  async profile(
    entity: number,
    query: Queries['profileAt']['ask'],
    until: number,
  ): Promise<Profile | undefined> {
    const dueAt = performance.now() + maxFoldMs
    await this.turn(until)
    try {
      return await this.fold(entity, query, { until, dueAt })
    } finally {
      this.folding -= 1
      this.waiting.shift()?.()
    }
  }

  /** Folds are long: a few at a time leave room for everything else. */
  private async turn(position: number): Promise<void> {
    if (this.waiting.length >= maxWaiting) throw new ReadModelBehind(position)
    if (this.folding >= maxFolding) {
      await new Promise<void>((resolve) => {
        this.waiting.push(resolve)
      })
    }
    this.folding += 1
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
      for (const row of this.statements.positions.all(entity, after, last, factsAtOnce)) {
        const [position = 0] = numbersIn(row)
        const { fact } = this.facts.at(position)
        if (Date.parse(tookEffectAt(fact)) <= asOf) profile = profileAfter(profile, fact)
        after = position
      }
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
