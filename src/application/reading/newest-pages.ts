import type { FactsPage, ReadModel } from './ports/read-model.js'
import { unlessBehind } from './want.js'

/** Facts of a step of the feed, in bytes, about: each follower holds one until its reader has taken it. */
export const stepBytes = 65_536
/** Facts that are looked at in one step where followers share it. */
const stepFacts = 250
/** How long a page may take, in milliseconds. */
export const pageMs = 10_000

/** The requests that followers share have a share of their own of what reads may cost: no client's. */
const caller = 'the feed'

/** Pages of the newest facts. Followers at the same place share one request. */
export class NewestPages {
  private readonly pending = new Map<string, Promise<FactsPage | undefined>>()

  constructor(private readonly readModel: ReadModel) {}

  /** With what was applied at the call; undefined: the read model does not answer now. */
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
