import {
  FactSubscription,
  type Fact,
  type Interruption,
  type PassedOver,
  type Position,
  type SubscriptionOptions,
} from '../../src/subscription.js'

/** A running subscription, and everything that it delivered. */
export class FollowedFacts {
  readonly facts: Fact[] = []
  readonly positions: Position[] = []
  readonly reached: Position[] = []
  readonly breaks: Interruption[] = []
  readonly unknown: PassedOver[] = []
  caughtUp = 0
  readonly subscription: FactSubscription
  /** Resolves with the error that `run` was rejected with, or with undefined. */
  readonly ended: Promise<unknown>
  private readonly stopping = new AbortController()
  private readonly waiting = new Set<() => void>()

  constructor(options: Pick<SubscriptionOptions, 'url'> & Partial<SubscriptionOptions>) {
    const { handle, reached, ...others } = options
    this.subscription = new FactSubscription({
      after: undefined,
      signal: this.stopping.signal,
      wait: () => new Promise(setImmediate),
      handle: async (fact, position) => {
        await handle?.(fact, position)
        this.note(() => this.facts.push(fact) + this.positions.push(position))
      },
      reached: async (position) => {
        await reached?.(position)
        this.note(() => this.reached.push(position))
      },
      caughtUp: () => {
        this.note(() => (this.caughtUp += 1))
      },
      interrupted: (interruption) => {
        this.note(() => this.breaks.push(interruption))
      },
      passedOver: (event) => {
        this.note(() => this.unknown.push(event))
      },
      ...others,
    })
    this.ended = this.subscription.run().then(
      () => undefined,
      (error: unknown) => error,
    )
  }

  /**
   * The delivered facts in short form: an event as its name, the creation of an entity as its id in brackets, and any
   * other fact as its type.
   */
  get names(): readonly string[] {
    return this.facts.map((fact) => {
      if (fact.type === 'EventRecorded') return fact.data.name
      return 'externalId' in fact.data ? `[${fact.data.externalId}]` : fact.type
    })
  }

  /**
   * Resolves when the condition holds after a call of the subscription. Rejects when the subscription ends first.
   */
  until(isSo: (followed: this) => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const look = () => {
        if (!isSo(this)) return
        this.waiting.delete(look)
        resolve()
      }
      this.waiting.add(look)
      void this.ended.then((error) => {
        reject(new Error(`it ended before: ${String(error)}`, { cause: error }))
      })
      look()
    })
  }

  async stop(): Promise<unknown> {
    this.stopping.abort()
    return this.ended
  }

  private note(change: () => void): void {
    change()
    for (const look of [...this.waiting]) look()
  }
}
