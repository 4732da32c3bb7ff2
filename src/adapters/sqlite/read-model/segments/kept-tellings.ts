import { prepareRows, type Database } from '../../file/driver.js'
import { valuesIn } from '../../file/row.js'
import { FlipTally } from './flip-tally.js'
import type { Telling } from './telling.js'

/** What the log was told of each segment that is served. */
export class KeptTellings {
  private readonly byKey = new Map<string, Telling>()
  private readonly changed = new Set<Telling>()
  private readonly statements: ReturnType<typeof prepare>

  constructor(db: Database) {
    this.statements = prepare(db)
    for (const row of this.statements.all.all()) {
      const telling = tellingIn(valuesIn(row))
      this.byKey.set(telling.key, telling)
    }
  }

  get(key: string): Telling | undefined {
    return this.byKey.get(key)
  }

  get all(): readonly Telling[] {
    return [...this.byKey.values()]
  }

  /** In place of what there was of the segment. */
  begin(telling: Telling): void {
    this.byKey.set(telling.key, telling)
    this.change(telling)
  }

  /** To be called after it was changed. */
  change(telling: Telling): void {
    this.changed.add(telling)
  }

  remove(key: string): void {
    if (this.byKey.delete(key)) this.statements.remove.run(key)
  }

  write(): void {
    for (const telling of this.changed) {
      const { key, built, isCompared, told, derived, lastAt, lastFlip, divergence = null } = telling
      if (this.byKey.get(key) !== telling) continue
      const tallies = [told.text, derived.text] as const
      const last = [lastAt, lastFlip] as const
      this.statements.keep.run(key, built, Number(isCompared), ...tallies, ...last, divergence)
    }
    this.changed.clear()
  }
}

function tellingIn(columns: readonly unknown[]): Telling {
  const [key, built, isCompared, told, derived, lastAt, lastFlip, divergence] = columns
  return {
    key: String(key),
    built: String(built),
    isCompared: isCompared === 1,
    told: FlipTally.of(String(told)),
    derived: FlipTally.of(String(derived)),
    lastAt: Number(lastAt),
    lastFlip: String(lastFlip),
    divergence: typeof divergence === 'string' ? divergence : undefined,
  }
}

function prepare(db: Database) {
  return {
    all: prepareRows(
      db,
      `SELECT segment, built, is_compared, told, derived, last_at, last_flip, divergence
       FROM tellings`,
    ),
    keep: db.prepare('INSERT OR REPLACE INTO tellings VALUES (?, ?, ?, ?, ?, ?, ?, ?)'),
    remove: db.prepare('DELETE FROM tellings WHERE segment = ?'),
  }
}
