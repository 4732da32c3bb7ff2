import { ReadModelBehind } from './errors.js'
import { FactTail, type TailLimits, type TailReader } from './fact-tail.js'
import { furtherOf, placeOf, type FeedStart } from './feed-start.js'
import type { Answer, Checkpoint, FeedFact, ReadModel } from './ports/read-model.js'
import type { FeedFilter } from './read-facts.js'
import type { ReadWant } from './want.js'

/** What came next in the feed: perhaps nothing but a place. */
export interface FeedStep {
  /** Those that pass. */
  readonly facts: readonly FeedFact[]
  /** About how many did not. */
  readonly leftOut: number
  /** All facts up to here were looked at. */
  readonly reached: Checkpoint
  /** All that is known was looked at, for the first time. */
  readonly isCaughtUp: boolean
}

export interface FollowedFacts {
  /** Where it began. */
  readonly place: Checkpoint
  /**
   * The next step, waiting until there is one, or until it is woken. Undefined at its end: `end` was
   * called, or the read model is built anew. To be called again when it has resolved.
   */
  next(): Promise<FeedStep | undefined>
  /** Lets `next` resolve now, and looks for what is new. */
  wake(): void
  end(): void
}

export interface FollowQuery extends FeedFilter {
  readonly start: FeedStart
}

/**
 * All facts from a place on, and then each as it comes. Throws what `ReadModel.ask` throws, also where
 * another fact is at the place.
 */
export type FollowFactsUseCase = (
  query: FollowQuery,
  want: ReadWant,
) => Promise<Answer<FollowedFacts>>

export function followFactsUseCase(readModel: ReadModel, limits?: TailLimits): FollowFactsUseCase {
  const tail = new FactTail(readModel, limits)
  return async ({ start, ...filter }, want) => {
    const { value: place, position } = await placeOf(readModel, start, want)
    return { value: new Follower(readModel, tail, filter, place), position }
  }
}

/** Facts that are looked at in one step: of the tail, and of those before it. */
const tailStep = 250
const pageStep = 1_000
/** Facts of one page: each follower that is behind has one in memory. */
const pageSize = 100

class Follower implements FollowedFacts {
  private reached: Checkpoint
  private hasJoined = false
  private isOver = false
  private failure: { readonly error: unknown } | undefined
  /** Since the last look. */
  private hasNews = false
  private isWoken = false
  private wasCaughtUp = false
  private resume: () => void = () => undefined
  private readonly tailReader: TailReader = {
    wake: () => {
      this.hasNews = true
      this.resume()
    },
    cutOff: (error) => {
      if (error !== undefined) this.failure = { error }
      this.isOver = true
      this.resume()
    },
  }

  constructor(
    private readonly readModel: ReadModel,
    private readonly tail: FactTail,
    private readonly filter: FeedFilter,
    readonly place: Checkpoint,
  ) {
    this.reached = place
  }

  async next(): Promise<FeedStep | undefined> {
    for (;;) {
      if (this.failure !== undefined) throw this.failure.error
      if (this.isOver) return undefined
      this.join()
      this.hasNews = false
      const step = await this.step()
      if (step !== undefined) return step
      if (this.isWoken) {
        this.isWoken = false
        return { facts: [], leftOut: 0, reached: this.reached, isCaughtUp: false }
      }
      await this.news()
    }
  }

  wake(): void {
    this.isWoken = true
    this.tail.look()
    this.resume()
  }

  end(): void {
    this.isOver = true
    this.tail.leave(this.tailReader)
    this.resume()
  }

  private join(): void {
    if (this.hasJoined) return
    this.hasJoined = true
    this.tail.join(this.tailReader)
  }

  private news(): Promise<void> {
    return new Promise((resolve) => {
      this.resume = resolve
      if (this.hasNews || this.isWoken || this.isOver) resolve()
    })
  }

  /** Undefined when there is nothing new. */
  private step(): FeedStep | undefined | Promise<FeedStep | undefined> {
    const looked = this.tail.after(this.reached.position, tailStep)
    return looked === undefined ? this.stepOfPage() : this.stepOfTail(looked)
  }

  private stepOfTail(looked: readonly FeedFact[]): FeedStep | undefined {
    const isAll = looked.length < tailStep
    const reached = isAll ? this.tail.reached : (looked.at(-1) ?? this.reached)
    this.reached = furtherOf(this.reached, { position: reached.position, id: reached.id })
    const isCaughtUp = isAll && this.tail.isAtHead && !this.wasCaughtUp
    if (looked.length === 0 && !isCaughtUp) return undefined
    if (isCaughtUp) this.wasCaughtUp = true
    const facts = looked.filter((fact) => passes(fact, this.filter))
    const leftOut = looked.length - facts.length
    return { facts, leftOut, reached: this.reached, isCaughtUp }
  }

  /** Of the facts before the tail. */
  private async stepOfPage(): Promise<FeedStep | undefined> {
    const { types, stream } = this.filter
    const after = this.reached.position
    const asked = { after, limit: pageSize, lookAt: pageStep, types, stream }
    const page = await this.unlessBehind(this.readModel.ask('facts', asked, { waitMs: 0 }))
    if (page === undefined || page.value.reached.position <= after) return undefined
    const { facts, reached, atHead } = page.value
    this.reached = reached
    // Too many rather than too few: a page may end at its last fact.
    const leftOut = atHead ? 0 : pageStep - facts.length
    return { facts, leftOut, reached, isCaughtUp: false }
  }

  /** A read model that is behind wakes whoever waits when it has come further. */
  private async unlessBehind<T>(asked: Promise<T>): Promise<T | undefined> {
    try {
      return await asked
    } catch (error) {
      if (error instanceof ReadModelBehind) return undefined
      throw error
    }
  }
}

function passes({ type, stream }: FeedFact, filter: FeedFilter): boolean {
  if (filter.types?.includes(type) === false) return false
  return filter.stream === undefined || filter.stream === stream
}
