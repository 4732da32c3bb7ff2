import { Cancellation } from '../ports/cancellation.js'
import { pageMs, stepBytes, type NewestPages } from './newest-pages.js'
import type { Checkpoint, FactsPage, FeedFact, ReadModel } from './ports/read-model.js'
import type { FeedFilter } from './feed-start.js'
import { unlessBehind } from './want.js'

/** The next facts of the feed. A step without facts reports a new position. */
export interface FeedStep {
  /** The facts that match the filter. */
  readonly facts: readonly FeedFact[]
  /** The approximate number of facts that did not match the filter. */
  readonly leftOut: number
  readonly reached: Checkpoint
  /** True only in the step in which the follower has read all applied facts for the first time. */
  readonly isCaughtUp: boolean
}

export interface FollowedFacts {
  /**
   * Waits for the next step. Resolves early after `wake`. Resolves with undefined after `end`, and
   * when the read model is rebuilt. Call it again only after the previous call has resolved.
   */
  next(): Promise<FeedStep | undefined>
  /** Makes the pending call of `next` resolve now. */
  wake(): void
  end(): void
}

/**
 * The maximum number of facts that a follower reads for a page of its own, and the maximum number
 * of facts in the page.
 */
const pageStep = 1_000
const pageSize = 100
/**
 * The maximum number of consecutive shared pages before the newest fact. After these pages, the
 * follower reads pages of its own.
 */
const maxSharedPages = 4

interface FollowerParts {
  readonly readModel: ReadModel
  readonly newest: NewestPages
  readonly filter: FeedFilter
  readonly caller: string | undefined
  /**
   * The number of rebuilds of the read model when the start of the follower was determined. After
   * another rebuild, this start is no longer valid.
   */
  readonly builds: number
}

/**
 * Follows the feed. Near the newest fact, it shares pages with other followers. When it lags, it
 * reads pages of its own.
 */
export class Follower implements FollowedFacts {
  private reached: Checkpoint
  private isOver = false
  private hasNews = false
  private isWoken = false
  private wasCaughtUp = false
  /** The number of pages since the follower last reached the newest fact. */
  private pagesBehind = maxSharedPages
  private resume: () => void = () => undefined
  private unwatch: (() => void) | undefined
  private readonly ending = new Cancellation()

  constructor(
    private readonly parts: FollowerParts,
    place: Checkpoint,
  ) {
    this.reached = place
  }

  async next(): Promise<FeedStep | undefined> {
    this.begin()
    try {
      for (;;) {
        this.hasNews = false
        const step = await this.stepUnlessOver()
        // Checks again, because a call of `end` may have ended the follower during the step.
        if (this.isOver) return undefined
        if (step !== undefined || this.isWoken) {
          this.isWoken = false
          return step ?? this.nothingNew(false)
        }
        await this.news()
      }
    } catch (error) {
      this.end()
      throw error
    }
  }

  wake(): void {
    this.isWoken = true
    this.resume()
  }

  end(): void {
    this.isOver = true
    this.ending.cancel()
    this.unwatch?.()
    this.resume()
  }

  private begin(): void {
    if (this.unwatch !== undefined || this.isOver) return
    this.unwatch = this.parts.readModel.watch(this.checkStatus)
    this.checkStatus()
  }

  private readonly checkStatus = (): void => {
    const { applied, builds } = this.parts.readModel.status
    if (builds !== this.parts.builds) this.end()
    if (this.wasCaughtUp && applied.position <= this.reached.position) return
    this.hasNews = true
    this.resume()
  }

  private news(): Promise<void> {
    return new Promise((resolve) => {
      this.resume = resolve
      if (this.hasNews || this.isWoken || this.isOver) resolve()
    })
  }

  /** Returns the next step, or undefined when there are no new facts and no new position. */
  private stepUnlessOver(): FeedStep | undefined | Promise<FeedStep | undefined> {
    if (this.isOver) return undefined
    const { applied, isBuilding } = this.parts.readModel.status
    if (applied.position > this.reached.position) return this.stepOfPage()
    if (isBuilding) return undefined
    this.pagesBehind = 0
    return this.catchUp() ? this.nothingNew(true) : undefined
  }

  private async stepOfPage(): Promise<FeedStep | undefined> {
    const { newest, filter } = this.parts
    const isShared = this.pagesBehind < maxSharedPages
    const page = await (isShared ? newest.after(this.reached.position) : this.ownPage())
    if (page === undefined || page.reached.position <= this.reached.position) return undefined
    const { reached, atHead } = page
    this.reached = reached
    this.pagesBehind = atHead ? 0 : this.pagesBehind + 1
    const facts = isShared ? page.facts.filter(passing(filter)) : page.facts
    const leftOut = isShared ? page.facts.length - facts.length : leftOutOf(page)
    return { facts, leftOut, reached, isCaughtUp: atHead && this.catchUp() }
  }

  /** Records that the follower has read all applied facts. Returns true on the first call only. */
  private catchUp(): boolean {
    const isFirst = !this.wasCaughtUp
    this.wasCaughtUp = true
    return isFirst
  }

  private nothingNew(isCaughtUp: boolean): FeedStep {
    return { facts: [], leftOut: 0, reached: this.reached, isCaughtUp }
  }

  private async ownPage(): Promise<FactsPage | undefined> {
    const { filter, readModel, caller } = this.parts
    const after = this.reached.position
    const query = { after, limit: pageSize, lookAt: pageStep, bytes: stepBytes, ...filter }
    const want = { waitMs: 0, answerMs: pageMs, caller, cancellation: this.ending }
    return (await unlessBehind(readModel.query('facts', query, want)))?.value
  }
}

/**
 * Estimates how many facts of a page did not match the filter. The estimate is too high if the page
 * ended before its limit.
 */
function leftOutOf({ facts, atHead }: FactsPage): number {
  return atHead ? 0 : pageStep - facts.length
}

function passing({ types, stream }: FeedFilter): (fact: FeedFact) => boolean {
  return (fact) =>
    types?.includes(fact.type) !== false && (stream === undefined || stream === fact.stream)
}
