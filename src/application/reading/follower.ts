import type { FactTail, TailPart, TailReader } from './fact-tail.js'
import { furtherOf } from './feed-start.js'
import type { FeedStep, FollowedFacts } from './followed-facts.js'
import type { Checkpoint, FeedFact, ReadModel } from './ports/read-model.js'
import type { FeedFilter } from './read-facts.js'
import { unlessBehind } from './want.js'

/** Facts that are looked at in one step: of the tail, and of those before it. */
const tailStep = 250
const pageStep = 1_000
/** Facts of one page, and their bytes, about: each follower holds one step until its reader has taken it. */
const pageSize = 100
const stepBytes = 65_536
/** How long a page may take, in milliseconds. */
const pageMs = 10_000

interface FollowerParts {
  readonly readModel: ReadModel
  readonly tail: FactTail
  readonly filter: FeedFilter
  /** Whose share its pages take. */
  readonly caller: string | undefined
  /** How often the read model was built when the place was looked up: it is a place of that store. */
  readonly builds: number
}

/** Takes from the tail; where it is behind the tail, it reads pages of its own. */
export class Follower implements FollowedFacts {
  private reached: Checkpoint
  private hasJoined = false
  private isOver = false
  private failure: { readonly error: unknown } | undefined
  /** Since the last look. */
  private hasNews = false
  private isWoken = false
  private wasCaughtUp = false
  private resume: () => void = () => undefined
  private readonly ending = new AbortController()
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
    private readonly parts: FollowerParts,
    place: Checkpoint,
  ) {
    this.reached = place
  }

  async next(): Promise<FeedStep | undefined> {
    for (;;) {
      this.join()
      this.hasNews = false
      const step = await this.stepUnlessOver()
      if (this.failure !== undefined) throw this.failure.error
      if (this.isOver) return undefined
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
    this.parts.tail.look()
    this.resume()
  }

  end(): void {
    this.isOver = true
    this.ending.abort()
    this.parts.tail.leave(this.tailReader)
    this.resume()
  }

  private join(): void {
    const { tail, readModel, builds } = this.parts
    if (this.hasJoined || this.isOver) return
    this.hasJoined = true
    if (readModel.status.builds === builds) tail.join(this.tailReader)
    else this.isOver = true
  }

  private news(): Promise<void> {
    return new Promise((resolve) => {
      this.resume = resolve
      if (this.hasNews || this.isWoken || this.isOver) resolve()
    })
  }

  /** Undefined when there is nothing new. */
  private stepUnlessOver(): FeedStep | undefined | Promise<FeedStep | undefined> {
    if (this.isOver) return undefined
    const most = { facts: tailStep, bytes: stepBytes }
    const looked = this.parts.tail.after(this.reached.position, most)
    return looked === undefined ? this.stepOfPage() : this.stepOfTail(looked)
  }

  private stepOfTail({ facts: looked, isAll }: TailPart): FeedStep | undefined {
    const { tail, filter } = this.parts
    const reached = isAll ? tail.reached : (looked.at(-1) ?? this.reached)
    this.reached = furtherOf(this.reached, { position: reached.position, id: reached.id })
    const isCaughtUp = isAll && tail.isAtHead && !this.wasCaughtUp
    if (looked.length === 0 && !isCaughtUp) return undefined
    if (isCaughtUp) this.wasCaughtUp = true
    const facts = looked.filter((fact) => passes(fact, filter))
    const leftOut = looked.length - facts.length
    return { facts, leftOut, reached: this.reached, isCaughtUp }
  }

  /** Of the facts before the tail. */
  private async stepOfPage(): Promise<FeedStep | undefined> {
    const { filter, readModel, caller } = this.parts
    const after = this.reached.position
    const asked = { after, limit: pageSize, lookAt: pageStep, bytes: stepBytes, ...filter }
    const want = { waitMs: 0, answerMs: pageMs, caller, signal: this.ending.signal }
    const page = await unlessBehind(readModel.ask('facts', asked, want))
    if (page === undefined || page.value.reached.position <= after) return undefined
    const { facts, reached, atHead } = page.value
    this.reached = reached
    // Too many rather than too few: a page may end at its last fact.
    const leftOut = atHead ? 0 : pageStep - facts.length
    return { facts, leftOut, reached, isCaughtUp: false }
  }
}

function passes({ type, stream }: FeedFact, filter: FeedFilter): boolean {
  if (filter.types?.includes(type) === false) return false
  return filter.stream === undefined || filter.stream === stream
}
