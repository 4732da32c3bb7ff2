import { setTimeout } from 'node:timers/promises'
import type { Interruption, PassedOver, SegmentBuilt } from 'dossier/subscription'
import { Progress } from '../progress.js'
import type { ComparisonTimes } from './comparison.js'
import { DigestCheck } from './digest-check.js'
import type { FactListener, FactSource } from './fact-source.js'
import type { SegmentMirror } from './mirror.js'
import type { Place } from './place.js'
import { retrying } from './retrying.js'
import type { SegmentFact } from './segment-facts.js'
import type { SegmentService } from './service.js'
import { SegmentMissing } from './service-errors.js'
import { Turns } from './turns.js'

export interface FollowingSegment extends ComparisonTimes {
  readonly segment: string
  readonly service: SegmentService
  readonly source: FactSource
  /** Between two lines of progress. */
  readonly sayEveryMs: number
  /** End when all that is stored is followed and the digests are equal. */
  readonly once: boolean
  /** Stops it, and what it asks. */
  readonly signal: AbortSignal
  /** Gives the signal. */
  readonly end: () => void
  readonly say: (line: string) => void
}

const lookEveryMs = 500

/**
 * Keeps the mirror up to date until it is told to stop. Throws `SegmentMissing` where there is no such
 * segment at the first start, and what the service and the source throw; the mirror then has everything
 * before.
 */
export async function followSegment(
  mirror: SegmentMirror,
  following: FollowingSegment,
): Promise<void> {
  await new SegmentFollower(mirror, following).run()
}

class SegmentFollower implements FactListener {
  private readonly progress: Progress
  private readonly check: DigestCheck
  private readonly turns = new Turns()
  private isLive = false

  constructor(
    private readonly mirror: SegmentMirror,
    private readonly following: FollowingSegment,
  ) {
    this.progress = new Progress(following.say, () => mirror.place)
    this.check = new DigestCheck(mirror, {
      ...following,
      compared: () => {
        if (following.once) following.end()
      },
    })
  }

  async run(): Promise<void> {
    const { signal, sayEveryMs, say } = this.following
    const lines = setInterval(() => {
      say(`at ${this.progress.text}, ${String(this.mirror.members.count)} members`)
    }, sayEveryMs)
    try {
      const after = await this.begin()
      await this.together([this.following.source(after, this, signal), this.lookNowAndThen()])
    } catch (error) {
      if (!isStop(error, signal)) throw error
    } finally {
      clearInterval(lines)
    }
    this.progress.stopped()
  }

  readonly handle = (fact: SegmentFact, place: Place): Promise<void> =>
    this.turns.take(async () => {
      switch (fact.type) {
        case 'SegmentBuilt':
          await this.built(fact, place)
          break
        case 'SegmentRetired':
          this.mirror.retire(fact.data.version, place)
          this.check.startAgain()
          break
        case 'EntityEnteredSegment':
        case 'EntityLeftSegment':
          this.mirror.apply(fact, place)
      }
      this.progress.processed()
      this.check.followedTo(place)
    })

  readonly reached = (place: Place): Promise<void> =>
    this.turns.take(() => {
      this.mirror.moveTo(place)
      this.check.followedTo(place)
      return Promise.resolve()
    })

  readonly caughtUp = (): Promise<void> =>
    this.turns.take(() => {
      this.isLive = true
      this.progress.caughtUp()
      return this.check.look()
    })

  readonly interrupted = (interruption: Interruption): void => {
    this.isLive = false
    this.check.startAgain()
    this.progress.interrupted(interruption)
  }

  readonly passedOver = (event: PassedOver): void => {
    this.progress.passedOver(event)
  }

  /** Where to go on: at the first start, after the list. */
  private async begin(): Promise<Place> {
    const { place } = this.mirror
    if (place !== undefined) {
      this.progress.begun()
      return place
    }
    const list = await this.list(0n)
    const { segment, say } = this.following
    if (list === undefined) throw new SegmentMissing(`there is no segment ${segment}`)
    this.mirror.begin(segment, list)
    const where = `position ${String(list.place.commit)}`
    say(`begins with the list of ${String(this.mirror.members.count)} members at ${where}`)
    return list.place
  }

  /** Those whom a new version has are in without having entered. */
  private async built({ data: { version } }: SegmentBuilt, place: Place): Promise<void> {
    // Retired before it was built: it is not served, ever.
    if (this.mirror.isOfRetired(version)) {
      this.mirror.moveTo(place)
      return
    }
    // Where there is none any more, the fact that retires the segment is still to come.
    const list = (await this.list(place.commit)) ?? { version, entityIds: [] }
    this.mirror.replace(list, place)
    this.check.startAgain()
    const told = `${String(this.mirror.members.count)} members`
    this.following.say(`version ${String(version)} was built: the list was taken anew, ${told}`)
  }

  private list(known: bigint) {
    const { service, signal } = this.following
    const interrupted = (interruption: Interruption) => {
      this.progress.interrupted(interruption)
    }
    return retrying(() => service.members(known), { signal, interrupted })
  }

  private async lookNowAndThen(): Promise<never> {
    for (;;) {
      await setTimeout(lookEveryMs, undefined, { signal: this.following.signal })
      await this.turns.take(() => (this.isLive ? this.check.look() : Promise.resolve()))
    }
  }

  /** When one ends, all do. */
  private async together(work: readonly Promise<void>[]): Promise<void> {
    try {
      await Promise.race(work)
    } finally {
      this.following.end()
      await Promise.allSettled(work)
    }
  }
}

/** Told by its form: Node has errors of several kinds for it. */
function isStop(error: unknown, signal: AbortSignal): boolean {
  if (!signal.aborted || typeof error !== 'object' || error === null) return false
  return 'name' in error && error.name === 'AbortError'
}
