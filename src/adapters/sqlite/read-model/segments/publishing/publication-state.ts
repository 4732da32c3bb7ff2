import type { SegmentBuilt } from '../../../../../domain/segments/segment-facts.js'
import { addDigest, digestIn, digestText, firstBits } from '../hashes.js'
import { textOf, type PublishedChange } from './published-change.js'
import { type Database, prepareAll, type Statements } from '../../../file/driver.js'
import { textIn } from '../../../file/row.js'

interface Tally {
  readonly changes: number
  /** 16 hex digits. */
  readonly digest: string
}

/** A count and digest of a set of changes. The order of the changes does not matter. */
class ChangeTally {
  constructor(
    public changes = 0,
    private digest = 0n,
  ) {}

  add(text: string): void {
    this.changes += 1
    this.digest = addDigest(this.digest, firstBits(text))
  }

  equals(other: ChangeTally): boolean {
    return this.changes === other.changes && this.digest === other.digest
  }

  toJSON(): Tally {
    return { changes: this.changes, digest: digestText(this.digest) }
  }

  static of({ changes, digest }: Tally): ChangeTally {
    return new ChangeTally(changes, digestIn(digest))
  }
}

/**
 * The changes published for the served version of a segment, compared with the changes derived here. After the
 * version's backfill, changes are compared one by one. Before, the log is ahead, and the backfill derives changes
 * in another order. So published and derived changes are tallied, and the tallies are compared at the end.
 */
export interface PublicationState {
  readonly key: string
  /** The figures of the `SegmentBuilt` fact, as `figuresIn` formats them. */
  readonly built: string
  /** True once the backfill has finished: each published change is compared with the next derived change. */
  isCompared: boolean
  /** Changes that were published before they were derived here. */
  readonly confirmed: ChangeTally
  /** The derived changes among the published ones. */
  readonly derived: ChangeTally
  /** The instant of the last published change, in milliseconds since 1970; 0 before the first. */
  lastAt: number
  /** The last published change, as `textOf` formats it. */
  lastChange: string
  /** True when a tallied change may belong to an entity that was erased since. The tallies are not compared then. */
  hasErased: boolean
  /** How the published changes differ from the derived ones. Undefined when they agree. */
  divergence: string | undefined
}

const nothingPublished = { lastAt: 0, lastChange: '', hasErased: false, divergence: undefined }

export function newPublicationState(
  key: string,
  built: string,
  isCompared: boolean,
): PublicationState {
  const tallies = { confirmed: new ChangeTally(), derived: new ChangeTally() }
  return { key, built, isCompared, ...tallies, ...nothingPublished }
}

/** Tallies a published change that is not derived here yet. Returns false when the change is out of order. */
export function countPublished(publication: PublicationState, change: PublishedChange): boolean {
  if (change.at < publication.lastAt) return false
  publication.lastAt = change.at
  publication.lastChange = textOf(change)
  publication.confirmed.add(publication.lastChange)
  return true
}

/** The figures of a `SegmentBuilt` fact that every process must agree on, as text. */
export function figuresIn(data: Omit<SegmentBuilt['data'], 'segment'>): string {
  const { version, through, members, digest, builtAt } = data
  const resolved = Object.entries(data.resolved).sort(([left], [right]) => (left < right ? -1 : 1))
  return JSON.stringify([version, through, members, digest, builtAt, resolved])
}

/** The publication states of served segments, cached. `write` stores changed ones in table `publications`. */
export class PublicationStates {
  private readonly byKey = new Map<string, PublicationState>()
  private readonly changed = new Set<PublicationState>()
  private readonly statements: Statements<typeof sql>

  constructor(db: Database) {
    this.statements = prepareAll(db, sql)
    for (const row of this.statements.all.all()) {
      const publication = publicationStateIn(textIn(row))
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

type Stored = Omit<PublicationState, 'confirmed' | 'derived'> & {
  readonly confirmed: Tally
  readonly derived: Tally
}

function publicationStateIn(text: string): PublicationState {
  // Only this version of the program writes the row: another version builds a new read model.
  const { confirmed, derived, ...stored } = JSON.parse(text) as Stored
  const tallies = { confirmed: ChangeTally.of(confirmed), derived: ChangeTally.of(derived) }
  return { ...nothingPublished, ...stored, ...tallies }
}

const sql = {
  all: 'SELECT publication FROM publications',
  keep: 'INSERT OR REPLACE INTO publications VALUES (?, ?)',
  remove: 'DELETE FROM publications WHERE segment = ?',
}
