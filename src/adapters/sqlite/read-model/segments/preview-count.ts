import type {
  Previewed,
  Sampled,
  SampledMember,
} from '../../../../application/segments/ports/segment-queries.js'
import { memberDigest, type EntityRow } from './entity-states.js'
import { addDigest, digestIn, digestText } from './hashes.js'

/** Members so far, and some of them at random: those whose digests are lowest. */
export class PreviewCount {
  private entities: number
  private members: number
  private digest: bigint
  private readonly sample: LowestDigests
  private readonly entering: LowestDigests
  private readonly leaving: LowestDigests

  constructor(sample: number, soFar: Previewed = nobodyYet) {
    this.entities = soFar.entities
    this.members = soFar.members
    this.digest = digestIn(soFar.digest)
    this.sample = new LowestDigests(sample, { count: soFar.members, sample: soFar.sample })
    this.entering = new LowestDigests(sample, soFar.entering)
    this.leaving = new LowestDigests(sample, soFar.leaving)
  }

  add(row: EntityRow, isIn: boolean, wasIn: boolean): void {
    this.entities += 1
    if (isIn) {
      this.members += 1
      this.digest = addDigest(this.digest, memberDigest(row))
      this.sample.add(row)
    }
    if (isIn === wasIn) return
    if (isIn) this.entering.add(row)
    else this.leaving.add(row)
  }

  previewed(after: number, isWhole: boolean): Previewed {
    const { entities, members, digest, sample, entering, leaving } = this
    return {
      entities,
      members,
      digest: digestText(digest),
      sample: sample.sampled.sample,
      entering: entering.sampled,
      leaving: leaving.sampled,
      after,
      isWhole,
    }
  }
}

const nobody: Sampled = { count: 0, sample: [] }
const nobodyYet: Previewed = {
  entities: 0,
  members: 0,
  digest: digestText(0n),
  sample: [],
  entering: nobody,
  leaving: nobody,
  after: 0,
  isWhole: false,
}

/** How many there are, and the same few of them whatever order they come in. */
class LowestDigests {
  private count: number
  private readonly lowest: { readonly digest: bigint; readonly member: SampledMember }[]

  constructor(
    private readonly most: number,
    { count, sample }: Sampled,
  ) {
    this.count = count
    this.lowest = sample.map((member) => ({ digest: digestIn(member.digest), member }))
  }

  add(row: EntityRow): void {
    this.count += 1
    const { lowest, most } = this
    const digest = memberDigest(row)
    if (lowest.length === most && (lowest.at(-1)?.digest ?? -1n) <= digest) return
    const at = lowest.findIndex((other) => other.digest > digest)
    const { entity, subject } = row
    const member = { digest: digestText(digest), entity, externalId: subject.externalId }
    lowest.splice(at < 0 ? lowest.length : at, 0, { digest, member })
    if (lowest.length > most) lowest.pop()
  }

  get sampled(): Sampled {
    return { count: this.count, sample: this.lowest.map(({ member }) => member) }
  }
}
