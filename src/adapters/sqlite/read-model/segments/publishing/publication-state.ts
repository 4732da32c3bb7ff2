import type { SegmentBuilt } from '../../../../../domain/segments/segment-facts.js'
import { type Database, prepareAll, type Statements } from '../../../file/driver.js'
import { textIn } from '../../../file/row.js'

/**
 * The result of comparing the published changes of a segment version with the changes that this process
 * derives.
 */
export interface PublicationState {
  readonly key: string
  /** The fields of the `SegmentBuilt` fact that are compared, as text from `figuresIn`. */
  readonly built: string
  /**
   * The instant of the last change that was published before the backfill in this process was complete, in
   * milliseconds since 1970. 0 when there is no such change.
   */
  lastAt: number
  /**
   * A description of the difference between the published and the derived changes. Undefined when they agree.
   */
  divergence: string | undefined
}

/** Returns as text the fields of a `SegmentBuilt` fact that must be equal in every process. */
export function figuresIn(data: Omit<SegmentBuilt['data'], 'segment'>): string {
  const { version, through, members, digest, builtAt } = data
  const resolved = Object.entries(data.resolved).sort(([left], [right]) => (left < right ? -1 : 1))
  return JSON.stringify([version, through, members, digest, builtAt, resolved])
}

/** Caches the publication states of segments. `write` stores the changed states in table `publications`. */
export class PublicationStates {
  private readonly byKey = new Map<string, PublicationState>()
  private readonly changed = new Set<PublicationState>()
  private readonly statements: Statements<typeof sql>

  constructor(db: Database) {
    this.statements = prepareAll(db, sql)
    for (const row of this.statements.all.all()) {
      // Only this version of Dossier wrote the row, because every other version rebuilds the read model.
      const publication = JSON.parse(textIn(row)) as PublicationState
      this.byKey.set(publication.key, publication)
    }
  }

  get(key: string): PublicationState | undefined {
    return this.byKey.get(key)
  }

  get all(): readonly PublicationState[] {
    return [...this.byKey.values()]
  }

  begin(publication: PublicationState): void {
    this.byKey.set(publication.key, publication)
    this.change(publication)
  }

  change(publication: PublicationState): void {
    this.changed.add(publication)
  }

  remove(key: string): void {
    if (this.byKey.delete(key)) this.statements.remove.run(key)
  }

  write(): void {
    for (const publication of this.changed) {
      const { key } = publication
      if (this.byKey.get(key) !== publication) continue
      this.statements.keep.run(key, JSON.stringify(publication))
    }
    this.changed.clear()
  }
}

const sql = {
  all: 'SELECT publication FROM publications',
  keep: 'INSERT OR REPLACE INTO publications VALUES (?, ?)',
  remove: 'DELETE FROM publications WHERE segment = ?',
}
