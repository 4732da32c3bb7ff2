import type {
  Append,
  EventStore,
  Receipt,
} from '../../src/application/recording/ports/event-store.js'

/** A store in front of which appends wait until it is opened. */
export class GatedStore implements EventStore {
  private open: () => void = () => undefined
  private readonly opened = new Promise<void>((resolve) => {
    this.open = resolve
  })
  private arrived: () => void = () => undefined
  /** Resolves when the first append waits. */
  readonly reached = new Promise<void>((resolve) => {
    this.arrived = resolve
  })

  constructor(private readonly store: EventStore) {}

  async append(append: Append): Promise<Receipt> {
    this.arrived()
    await this.opened
    return this.store.append(append)
  }

  letThrough(): void {
    this.open()
  }
}
