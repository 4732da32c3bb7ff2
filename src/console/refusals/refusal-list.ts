import type { Calls } from '../../client/calls.js'
import type { Refusal } from '../../client/dossier.js'

const keptAtMost = 1_000
const pageSize = 1_000

export interface RefusalsSeen {
  /** The refusals, newest first. */
  readonly items: readonly Refusal[]
  /** The number of requests without a valid key since the process started. */
  readonly unauthenticated: number
}

/** The refusals of one process, read page by page. Each read continues after the last page. */
export class RefusalList {
  private cursor: string | undefined
  private items: readonly Refusal[] = []

  constructor(private readonly client: Calls) {}

  async read(signal: AbortSignal): Promise<RefusalsSeen> {
    const from = this.cursor === undefined ? {} : { cursor: this.cursor }
    const query = { include: 'reads', ...from, limit: pageSize } as const
    const page = await this.client.service.refusals(query, { signal })
    this.cursor = page.next_cursor
    // A reset means that another process replies. Its list does not continue the former list, so the former items are
    // dropped.
    const before = page.reset ? [] : this.items
    this.items = [...page.items.toReversed(), ...before].slice(0, keptAtMost)
    return { items: this.items, unauthenticated: page.unauthenticated }
  }
}
