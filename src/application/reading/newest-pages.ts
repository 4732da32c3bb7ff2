import type { FactsPage, ReadModel } from './ports/read-model.js'
import { unlessBehind } from './want.js'

/** Rough size of a feed step in bytes. Each follower holds one step until its reader has taken it. */
export const stepBytes = 65_536
/** The most facts that a shared step examines. */
const stepFacts = 250
/** The time limit for reading a page. */
export const pageMs = 10_000

/** Shared requests are charged to a caller of their own, not to any client. */
const caller = 'the feed'

/** Pages of the newest facts. Followers at the same position share one request. */
export class NewestPages {
  private readonly pending = new Map<string, Promise<FactsPage | undefined>>()

  constructor(private readonly readModel: ReadModel) {}

  /**
   * Returns the page after a position, out of the facts applied at the call. Undefined when the read model
   * does not answer.
   */
  after(position: number): Promise<FactsPage | undefined> {
    const key = `${String(position)} ${String(this.readModel.status.applied.position)}`
    const pending = this.pending.get(key)
    if (pending !== undefined) return pending
    const page = this.read(position).finally(() => {
      this.pending.delete(key)
    })
    this.pending.set(key, page)
    return page
  }

  private async read(after: number): Promise<FactsPage | undefined> {
    const query = { after, limit: stepFacts, bytes: stepBytes }
    const want = { waitMs: 0, answerMs: pageMs, caller }
    return (await unlessBehind(this.readModel.query('facts', query, want)))?.value
  }
}
