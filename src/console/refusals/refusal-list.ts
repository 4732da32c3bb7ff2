import type { Calls } from '../../client/calls.js'
import type { Refusal } from '../../client/dossier.js'

const keptAtMost = 1_000
const pageSize = 1_000

export interface RefusalsSeen {
  /** The newest first. */
  readonly items: readonly Refusal[]
  /** Requests without a valid key since the process started. */
  readonly unauthenticated: number
}

/** The refusals of one process, read page by page from where the last page ended. */
export class RefusalList {
  private cursor: string | undefined
  private items: readonly Refusal[] = []

  constructor(private readonly client: Calls) {}

  async read(signal: AbortSignal): Promise<RefusalsSeen> {
    const from = this.cursor === undefined ? {} : { cursor: this.cursor }
    const query = { include: 'reads', ...from, limit: pageSize } as const
    const page = await this.client.service.refusals(query, { signal })
    this.cursor = page.next_cursor
    // After a reset another process answers. Its list does not continue the former list, so the former items go.
    const before = page.reset ? [] : this.items
    this.items = [...page.items.toReversed(), ...before].slice(0, keptAtMost)
    return { items: this.items, unauthenticated: page.unauthenticated }
  }
}
