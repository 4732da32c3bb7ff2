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

/** Which changes, without their order: two with the same ones have the same digest. */
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
 * What was published of the members of a segment since it serves the version that it does. Where that
 * version is not built here yet, the log is ahead of what is derived, and a build derives it in
 * another order: then both are counted, to be compared when the build has come to its end.
 */
export interface PublicationState {
  readonly key: string
  readonly built: string
  /** What is published is compared with what was derived here, one by one. */
  isCompared: boolean
  /** Published before it was derived. */
  readonly confirmed: ChangeTally
  /** Derived of what was published: all before `lastAt`. */
  readonly derived: ChangeTally
  /** The instant of what was published last, in milliseconds since 1970; 0: nothing was. */
  lastAt: number
  /** What was published last, as `textOf` says it. */
  lastChange: string
  /** Changes that were counted may be of one who is erased: counts cannot be compared. */
  hasErased: boolean
  /** How what was published differs from what was derived here; undefined: it does not. */
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

/** Takes in what is published before it is derived here. False: it is not in order. */
export function countPublished(publication: PublicationState, change: PublishedChange): boolean {
  if (change.at < publication.lastAt) return false
  publication.lastAt = change.at
  publication.lastChange = textOf(change)
  publication.confirmed.add(publication.lastChange)
  return true
}

/** What must be the same in every process. */
export function figuresIn(data: Omit<SegmentBuilt['data'], 'segment'>): string {
  const { version, through, members, digest, builtAt } = data
  const resolved = Object.entries(data.resolved).sort(([left], [right]) => (left < right ? -1 : 1))
  return JSON.stringify([version, through, members, digest, builtAt, resolved])
}

/** What was published of each segment that is served. */
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
  // It was written by this version.
  const { confirmed, derived, ...stored } = JSON.parse(text) as Stored
  const tallies = { confirmed: ChangeTally.of(confirmed), derived: ChangeTally.of(derived) }
  return { ...nothingPublished, ...stored, ...tallies }
}

const sql = {
  all: 'SELECT publication FROM publications',
  keep: 'INSERT OR REPLACE INTO publications VALUES (?, ?)',
  remove: 'DELETE FROM publications WHERE segment = ?',
}
