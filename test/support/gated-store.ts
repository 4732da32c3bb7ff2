import type {
  ExactAppend,
  ExactAppends,
  ExactReceipt,
} from '../../src/application/ports/exact-appends.js'
import type {
  Append,
  EventStore,
  Receipt,
} from '../../src/application/recording/ports/event-store.js'

/** A store whose appends wait until a gate opens. */
export class GatedStore implements EventStore, ExactAppends {
  private open: () => void = () => undefined
  private readonly opened = new Promise<void>((resolve) => {
    this.open = resolve
  })
  private arrived: () => void = () => undefined
  /** Resolves when the first append waits. */
  readonly reached = new Promise<void>((resolve) => {
    this.arrived = resolve
  })

  constructor(private readonly store: EventStore & ExactAppends) {}

  async append(append: Append): Promise<Receipt> {
    this.arrived()
    await this.opened
    return this.store.append(append)
  }

  async appendAt(append: ExactAppend): Promise<ExactReceipt> {
    this.arrived()
    await this.opened
    return this.store.appendAt(append)
  }

  letThrough(): void {
    this.open()
  }
}
