import { setImmediate as turn } from 'node:timers/promises'
import type { FactFilter } from '../../domain/webhooks/fact-filter.js'
import type { ReadModel } from '../reading/ports/read-model.js'
import type { WaitingFact, WebhookFactsPage } from './ports/webhook-queries.js'

/** The maximum number of facts on a page. */
export const pageSize = 500
/** The time limit for reading a page, in milliseconds. */
const readMs = 10_000

/** The facts of a page that one filter matches, and the last fact that was read. */
export interface FilteredPage {
  readonly facts: readonly WaitingFact[]
  readonly reached: WebhookFactsPage['reached']
}

interface SharedPage {
  readonly filters: FactFilter[]
  readonly answer: Promise<WebhookFactsPage>
}

/**
 * Reads the facts for all webhooks of a process. Each commit wakes all webhooks, and idle webhooks are at one
 * position. Webhooks at one position share one query with all their filters.
 */
export class WebhookPages {
  /** The pages whose queries have not begun, by the position after which the page starts. */
  private readonly gathering = new Map<number, SharedPage>()

  constructor(private readonly model: Pick<ReadModel, 'query'>) {}

  async after(position: number, filter: FactFilter): Promise<FilteredPage> {
    const page = this.gathering.get(position) ?? this.begin(position)
    const index = page.filters.push(filter) - 1
    const { facts, reached } = await page.answer
    const own = facts.filter(({ matchedBy }) => matchedBy.includes(index))
    return { facts: own.map(({ fact }) => fact), reached }
  }

  private begin(after: number): SharedPage {
    const filters: FactFilter[] = []
    const page = { filters, answer: this.read(after, filters) }
    this.gathering.set(after, page)
    return page
  }

  private async read(after: number, filters: readonly FactFilter[]): Promise<WebhookFactsPage> {
    await turn()
    this.gathering.delete(after)
    const query = { after, filters, limit: pageSize }
    const want = { waitMs: 0, answerMs: readMs }
    return (await this.model.query('webhookFacts', query, want)).value
  }
}
