import type { Random } from '../../../fault-injection/random.js'
import type { StartedService } from '../service-process.js'
import type { LoggedFact, PagedList } from './paged-lists.js'
import type { PacedLoad } from './paced-load.js'

/** One reading of a list from its beginning to its end. */
export interface Paging {
  readonly list: PagedList
  readonly ids: readonly string[]
  readonly pages: number
  /** All facts up to here were acknowledged before it began. */
  readonly before: number
  /** And up to here when it ended. */
  readonly after: number
}

/** About so many pages at most: what is read must not grow faster than it is read. */
const maxPages = 20

export async function pagingOf(
  service: StartedService,
  list: PagedList,
  load: PacedLoad,
  random: Random,
): Promise<Paging> {
  const before = load.position
  const least = Math.ceil((load.acknowledged.length * list.part) / maxPages)
  const limit = Math.min(1_000, random.between(least, 3 * least))
  const ids: string[] = []
  let pages = 0
  for await (const page of list.ids(service, limit, before)) {
    if (page.length > limit) throw new Error(`${list.name}: a page of ${String(page.length)}`)
    for (const { id } of page) ids.push(id)
    pages += 1
  }
  return { list, ids, pages, before, after: load.position }
}

/** What is wrong with a paging, by what the log has in the end. */
export function faultsIn(paging: Paging, log: ReadonlyMap<string, LoggedFact>): readonly string[] {
  const { list, ids, before } = paging
  const seen = new Set(ids)
  const isSkipped = (fact: LoggedFact) =>
    fact.position <= before && list.has(fact) && !seen.has(fact.id)
  const skipped = [...log.values()].filter(isSkipped).map(({ id }) => `${id} was skipped`)
  const twice = seen.size < ids.length ? [`${String(ids.length - seen.size)} came twice`] : []
  return [...twice, ...outOfOrder(paging, log), ...skipped].map((fault) => `${list.name}: ${fault}`)
}

function outOfOrder({ list, ids }: Paging, log: ReadonlyMap<string, LoggedFact>) {
  const facts = ids.map((id) => log.get(id))
  return facts.flatMap((fact, at) => {
    const last = facts[at - 1]
    if (fact === undefined || !list.has(fact)) return [`${String(ids[at])} is not of it`]
    if (last === undefined || list.compare(last, fact) < 0) return []
    return [`${fact.id} is not after ${last.id}`]
  })
}
