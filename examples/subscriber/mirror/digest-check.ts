import { Comparison, type ComparisonTimes } from './comparison.js'
import type { SegmentMirror } from './mirror.js'
import type { Place } from './place.js'
import type { SegmentService } from './service.js'
import { isPassing, reasonOf } from './service-errors.js'

export interface DigestChecking extends ComparisonTimes {
  readonly service: SegmentService
  readonly say: (line: string) => void
  /** Called when the digests are equal, or nothing is there to be compared. */
  readonly compared: () => void
}

/** Compares the mirror with the service now and then, and takes the list anew where they differ. */
export class DigestCheck {
  private readonly comparison: Comparison

  constructor(
    private readonly mirror: SegmentMirror,
    private readonly checking: DigestChecking,
  ) {
    this.comparison = new Comparison(checking)
  }

  /** To be called now and then while the mirror is caught up, and not while a fact is applied. */
  async look(): Promise<void> {
    try {
      if (this.comparison.verdict(this.mirror.members.digest) === 'differs') await this.mend()
      if (this.comparison.isDue) await this.ask()
      this.judge()
    } catch (error) {
      if (!isPassing(error)) throw error
      this.comparison.putOff()
      this.checking.say(`not compared, the service is asked again: ${reasonOf(error)}`)
    }
  }

  /** After each fact: members are equal between two of them, perhaps. */
  followedTo({ commit }: Place): void {
    this.comparison.followedTo(commit)
    this.judge()
  }

  /** The members are those of another list now, or facts do not come: what was asked proves nothing. */
  startAgain(): void {
    this.comparison.startAgain()
  }

  private get known(): bigint {
    return this.mirror.place?.commit ?? 0n
  }

  private async ask(): Promise<void> {
    const served = await this.checking.service.served(this.known)
    if (served !== undefined) {
      this.comparison.expect(served)
      return
    }
    this.checking.say('nothing is served of the segment: there is nothing to compare')
    this.comparison.done()
    this.checking.compared()
  }

  private judge(): void {
    const { members } = this.mirror
    const { expected } = this.comparison
    if (expected === undefined || this.comparison.verdict(members.digest) !== 'equal') return
    const where = `${String(members.count)} members at position ${String(expected.position)}`
    this.checking.say(`digest ${members.digest} equal, ${where}`)
    this.comparison.done()
    this.checking.compared()
  }

  private async mend(): Promise<void> {
    const { digest } = this.mirror.members
    const list = await this.checking.service.members(this.known)
    const { place } = this.mirror
    if (list !== undefined && place !== undefined) {
      this.mirror.replace(list, place)
      const told = `${String(this.mirror.members.count)} members`
      this.checking.say(`digest ${digest} differs: the list was taken anew, ${told}`)
    }
    this.comparison.startAgain()
  }
}
