import type { SegmentBuilt } from '../../../../domain/segments/segment-facts.js'
import { addDigest, digestIn, digestText, firstBits } from './hashes.js'
import { textOf, type PublishedChange } from './published-change.js'

/** Which changes, without their order: two with the same ones have the same digest. */
export class ChangeTally {
  constructor(
    public changes = 0,
    private digest = 0n,
  ) {}

  /** `text`: of the change (`textOf`). */
  add(text: string): void {
    this.changes += 1
    this.digest = addDigest(this.digest, firstBits(text))
  }

  equals(other: ChangeTally): boolean {
    return this.changes === other.changes && this.digest === other.digest
  }

  get text(): string {
    return `${String(this.changes)} ${digestText(this.digest)}`
  }

  /** From what `text` says. */
  static of(text: string): ChangeTally {
    const [changes = '0', digest = '0'] = text.split(' ')
    return new ChangeTally(Number(changes), digestIn(digest))
  }
}

/**
 * What was published of the members of a segment since it serves the version that it does. Where that
 * version is not built here yet, the log is ahead of what is derived, and a build derives it in
 * another order: then both are counted, to be compared when the build has come to its end.
 */
export interface Publication {
  readonly key: string
  /** What the `SegmentBuilt` said (`figuresIn`). */
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
  /**
   * Somebody was erased, or is to be, after changes were counted that may have been of that entity: the counts
   * cannot be compared.
   */
  hasErased: boolean
  /** How what was published differs from what was derived here; undefined: it does not. */
  divergence: string | undefined
}

const nothingPublished = { lastAt: 0, lastChange: '', hasErased: false, divergence: undefined }

export function newPublication(key: string, built: string, isCompared: boolean): Publication {
  const tallies = { confirmed: new ChangeTally(), derived: new ChangeTally() }
  return { key, built, isCompared, ...tallies, ...nothingPublished }
}

/** Takes in what is published before it is derived here. False: it is not in order. */
export function confirmAhead(publication: Publication, change: PublishedChange): boolean {
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
