import type { FactsPage, ReadModel } from './ports/read-model.js'
import { unlessBehind } from './want.js'

/**
 * The approximate maximum size of a feed step, in bytes. Each follower keeps one step in memory
 * until it is read.
 */
export const stepBytes = 65_536
/** The maximum number of facts that a shared page reads. */
const stepFacts = 250
/** The time limit for reading a page, in milliseconds. */
export const pageMs = 10_000

/**
 * The caller name of shared queries. No client has this name, so the queries count for no client's
 * limit.
 */
const caller = 'the feed'

/** Reads pages of the newest facts. Followers at the same position share one query. */
export class NewestPages {
  private readonly pending = new Map<string, Promise<FactsPage | undefined>>()

  constructor(private readonly readModel: ReadModel) {}

  /**
   * Returns the page after a position, from the facts that are already applied. Returns undefined
   * when the read model refuses the query.
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
