import type {
  Previewed,
  RankedMember,
  Sampled,
  SampledMember,
} from '../../../../../application/segments/ports/segment-queries.js'
import type { EventTally } from '../../../../../domain/segments/membership/event-tally.js'
import type { EntityReplay } from '../backfill/entity-replay.js'
import { memberDigest, type EntityRow } from '../evaluation/entity-states.js'
import { addDigest, digestIn, digestText } from '../hashes.js'

interface Evaluated {
  /** True when the entity is a member of the previewed segment. */
  readonly isIn: boolean
  /** True when the entity is a member of the segment with which the preview is compared. */
  readonly wasIn: boolean
}

/** The counts over all entities that were evaluated so far. */
type Counted = Omit<Previewed, 'events' | 'isWhole'>

/** The most members in the ranking. */
const rankedAtMost = 20

/**
 * Counts members, samples the members with the lowest digests, and ranks members by the number of counted
 * events. Digests are random, so the sample does not depend on the order of evaluation.
 */
export class PreviewCount {
  private entities: number
  private members: number
  private digest: bigint
  private readonly sample: LowestDigests
  private readonly entering: LowestDigests
  private readonly leaving: LowestDigests
  private top: readonly RankedMember[]

  constructor(sample: number, soFar: Counted = nobodyYet) {
    this.entities = soFar.entities
    this.members = soFar.members
    this.digest = digestIn(soFar.digest)
    this.top = soFar.top
    this.sample = new LowestDigests(sample, { count: soFar.members, sample: soFar.sample })
    this.entering = new LowestDigests(sample, soFar.entering)
    this.leaving = new LowestDigests(sample, soFar.leaving)
  }

  add({ row, tally }: EntityReplay, { isIn, wasIn }: Evaluated): void {
    this.entities += 1
    if (isIn) {
      this.members += 1
      this.digest = addDigest(this.digest, memberDigest(row))
      this.sample.add(row)
      if (tally !== undefined) this.rank(row, tally)
    }
    if (isIn === wasIn) return
    if (isIn) this.entering.add(row)
    else this.leaving.add(row)
  }

  /**
   * Adds a member to the ranking. Members are ranked by sum, then by count, then by the position of their
   * creation.
   */
  private rank({ entity, subject }: EntityRow, { count, sum }: EventTally): void {
    const { top } = this
    const at = top.findIndex(
      (other) => other.sum < sum || (other.sum === sum && other.count < count),
    )
    if (count === 0 || (at < 0 && top.length === rankedAtMost)) return
    const member = { entity, externalId: subject.externalId, count, sum }
    this.top = top.toSpliced(at < 0 ? top.length : at, 0, member).slice(0, rankedAtMost)
  }

  previewed(after: number): Counted {
    const { entities, members, digest, sample, entering, leaving, top } = this
    return {
      entities,
      members,
      digest: digestText(digest),
      sample: sample.sampled.sample,
      entering: entering.sampled,
      leaving: leaving.sampled,
      top,
      after,
    }
  }
}

const nobody: Sampled = { count: 0, sample: [] }
const nobodyYet: Counted = {
  entities: 0,
  members: 0,
  digest: digestText(0n),
  sample: [],
  entering: nobody,
  leaving: nobody,
  top: [],
  after: 0,
}

/** Counts members and keeps the members with the lowest digests. */
class LowestDigests {
  private count: number
  private readonly lowest: SampledMember[]

  constructor(
    private readonly most: number,
    { count, sample }: Sampled,
  ) {
    this.count = count
    this.lowest = [...sample]
  }

  add(row: EntityRow): void {
    this.count += 1
    const { lowest, most } = this
    // Compares digests as texts. All digest texts have one length, so their text order is their numeric order.
    const digest = digestText(memberDigest(row))
    if (lowest.length === most && (lowest.at(-1)?.digest ?? '') <= digest) return
    const at = lowest.findIndex((other) => other.digest > digest)
    const { entity, subject } = row
    const member = { digest, entity, externalId: subject.externalId }
    lowest.splice(at < 0 ? lowest.length : at, 0, member)
    if (lowest.length > most) lowest.pop()
  }

  get sampled(): Sampled {
    return { count: this.count, sample: [...this.lowest] }
  }
}
