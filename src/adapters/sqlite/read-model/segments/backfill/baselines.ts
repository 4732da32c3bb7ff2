import type { SegmentBuilt } from '../../../../../domain/segments/segment-facts.js'
import type { DefinedSegment } from '../../../../../domain/segments/timeline.js'
import { prepareAll, type Database, type Statements } from '../../../file/driver.js'
import { valuesIn, timestampIn } from '../../../file/row.js'
import { addDigest, digestIn, digestText } from '../hashes.js'

/** The number and the digest of the members that a segment had at the definition that caused its backfill. */
export interface Baseline {
  readonly members: number
  /** The digest of the members, as 16 hexadecimal digits. */
  readonly digest: string
}

/** Returns the data of the `SegmentBuilt` fact that publishes a completed backfill. */
export function builtData(
  { key, version, resolved, through }: DefinedSegment,
  { members, digest }: Baseline,
): SegmentBuilt['data'] {
  const builtAt = timestampIn(through.logTime)
  return { segment: key, version, resolved, through: through.factId, members, digest, builtAt }
}

export class Baselines {
  private readonly statements: Statements<typeof sql>

  constructor(db: Database) {
    this.statements = prepareAll(db, sql)
  }

  of({ key, through }: DefinedSegment): Baseline | undefined {
    const row = this.statements.find.get(key, through.position)
    if (row === undefined) return undefined
    const [members, digest] = valuesIn(row)
    return { members: Number(members), digest: String(digest) }
  }

  begin(segment: DefinedSegment): void {
    this.add(segment, { members: 0, digest: 0n })
  }

  add(
    { key, through }: DefinedSegment,
    { members, digest }: { readonly members: number; readonly digest: bigint },
  ): void {
    this.statements.insert.run(key, through.position, members, digestText(digest))
  }

  /**
   * Removes the baselines of a segment up to and including the baseline of this definition. Call it when
   * queries start to use the version.
   */
  removeUntil({ key, through }: DefinedSegment): void {
    this.statements.remove.run(key, through.position)
  }
}

const sql = {
  find: 'SELECT members, digest FROM baselines WHERE segment = ? AND position = ?',
  insert: 'INSERT OR REPLACE INTO baselines VALUES (?, ?, ?, ?)',
  remove: 'DELETE FROM baselines WHERE segment = ? AND position <= ?',
}

interface Count {
  readonly segment: DefinedSegment
  members: number
  digest: bigint
}

/** Counts baseline members in memory until `write` stores the counts. */
export class BaselineCounts {
  private readonly counts = new Map<DefinedSegment, Count>()

  constructor(private readonly baselines: Baselines) {}

  add(segment: DefinedSegment, digest: bigint): void {
    const count = this.counts.get(segment) ?? this.counted(segment)
    count.members += 1
    count.digest = addDigest(count.digest, digest)
    this.counts.set(segment, count)
  }

  write(): void {
    for (const count of this.counts.values()) this.baselines.add(count.segment, count)
    this.counts.clear()
  }

  private counted(segment: DefinedSegment): Count {
    const { members = 0, digest = '0' } = this.baselines.of(segment) ?? {}
    return { segment, members, digest: digestIn(digest) }
  }
}
