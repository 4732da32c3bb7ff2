import { type Database, prepareAll, type Statements } from '../../file/driver.js'
import { valuesIn } from '../../file/row.js'
import { ChangeTally, type Publication } from './publication.js'

/** What was published of each segment that is served. */
export class PublicationRows {
  private readonly byKey = new Map<string, Publication>()
  private readonly changed = new Set<Publication>()
  private readonly statements: Statements<typeof sql>

  constructor(db: Database) {
    this.statements = prepareAll(db, sql)
    for (const row of this.statements.all.all()) {
      const publication = publicationIn(valuesIn(row))
      this.byKey.set(publication.key, publication)
    }
  }

  get(key: string): Publication | undefined {
    return this.byKey.get(key)
  }

  get all(): readonly Publication[] {
    return [...this.byKey.values()]
  }

  /** In place of what there was of the segment. */
  begin(publication: Publication): void {
    this.byKey.set(publication.key, publication)
    this.change(publication)
  }

  /** To be called after it was changed. */
  change(publication: Publication): void {
    this.changed.add(publication)
  }

  remove(key: string): void {
    if (this.byKey.delete(key)) this.statements.remove.run(key)
  }

  write(): void {
    for (const publication of this.changed) {
      const {
        key,
        built,
        isCompared,
        confirmed,
        derived,
        lastAt,
        lastChange,
        hasErased,
        divergence = null,
      } = publication
      if (this.byKey.get(key) !== publication) continue
      const tallies = [confirmed.text, derived.text] as const
      const last = [lastAt, lastChange, Number(hasErased)] as const
      this.statements.keep.run(key, built, Number(isCompared), ...tallies, ...last, divergence)
    }
    this.changed.clear()
  }
}

function publicationIn(columns: readonly unknown[]): Publication {
  const [key, built, isCompared, confirmed, derived, ...last] = columns
  const [lastAt, lastChange, hasErased, divergence] = last
  return {
    key: String(key),
    built: String(built),
    isCompared: isCompared === 1,
    confirmed: ChangeTally.of(String(confirmed)),
    derived: ChangeTally.of(String(derived)),
    lastAt: Number(lastAt),
    lastChange: String(lastChange),
    hasErased: hasErased === 1,
    divergence: typeof divergence === 'string' ? divergence : undefined,
  }
}

const sql = {
  all: `SELECT segment, built, is_compared, confirmed, derived, last_at, last_change,
         has_erased, divergence
       FROM publications`,
  keep: 'INSERT OR REPLACE INTO publications VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
  remove: 'DELETE FROM publications WHERE segment = ?',
}
