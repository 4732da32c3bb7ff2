import type {
  Checkpoint,
  FactsPage,
  FactsQuery,
} from '../../../application/reading/ports/read-model.js'
import { isOurs } from '../../../application/facts/our-streams.js'
import { UnreadableFact } from '../../../application/facts/unreadable-fact.js'
import { readFact } from '../../../application/facts/fact-format.js'
import type { LoggedFact } from '../../../application/facts/ports/fact-log.js'
import { prepareRows, type Database, type Statement } from '../file/driver.js'
import { numbersIn } from '../file/row.js'
import type { EntityIds } from './entity-ids.js'
import { feedFact, type KnownFacts } from './known-facts.js'

/** So many facts are looked at for one page, and so many bytes of them. */
const maxLooked = 1_000
const maxBytes = 4_194_304

const entityPrefix = 'entity-'

/** Pages of all facts, up to what is applied. */
export class FeedQueries {
  private readonly places: Statement

  constructor(
    db: Database,
    private readonly facts: KnownFacts,
    private readonly ids: EntityIds,
  ) {
    this.places = prepareRows(
      db,
      `SELECT position FROM places WHERE entity = ? AND position > ? AND position <= ?
       ORDER BY position LIMIT ?`,
    )
  }

  page(query: FactsQuery, applied: Checkpoint): FactsPage {
    if (query.after >= applied.position) return { facts: [], reached: applied, atHead: true }
    return query.stream === undefined
      ? this.ofLog(query, applied)
      : this.ofStream(query, query.stream, applied)
  }

  private ofLog(query: FactsQuery, applied: Checkpoint): FactsPage {
    const { after, limit } = query
    const limits = { facts: mostLooked(query), bytes: maxBytes }
    const page = this.facts.page(after, applied.position, limits)
    const passed = page.filter((fact) => isOurs(fact) && passes(fact, query)).slice(0, limit)
    const last = passed.length === limit ? passed.at(-1) : page.at(-1)
    return pageUpTo(last, passed, applied)
  }

  private ofStream(query: FactsQuery, stream: string, applied: Checkpoint): FactsPage {
    const { after, limit } = query
    const passed: LoggedFact[] = []
    let last: LoggedFact | undefined
    let bytes = 0
    const positions = this.positions(stream, after, applied.position, mostLooked(query))
    for (const position of positions) {
      if (passed.length === limit || bytes > maxBytes) return pageUpTo(last, passed, applied)
      last = this.facts.at(position).logged
      bytes += last.data.length + last.metadata.length
      if (passes(last, query)) passed.push(last)
    }
    const isWhole = positions.length < mostLooked(query)
    return pageUpTo(isWhole ? undefined : last, passed, applied)
  }

  /** Of the facts of an entity's stream. */
  private positions(stream: string, after: number, until: number, most: number) {
    const isOfEntity = stream.startsWith(entityPrefix)
    const entity = isOfEntity ? this.ids.of(stream.slice(entityPrefix.length)) : undefined
    if (entity === undefined) return []
    return this.places.all(entity, after, until, most).map((row) => numbersIn(row)[0] ?? 0)
  }
}

/** Without a filter all that are looked at pass. */
function mostLooked({ lookAt = maxLooked, types, limit }: FactsQuery): number {
  return Math.min(lookAt, maxLooked, types === undefined ? limit : maxLooked)
}

function passes({ type }: LoggedFact, { types }: FactsQuery): boolean {
  return types === undefined || types.includes(type)
}

/** `last`: of the facts that were looked at; undefined when those were all that there are. */
function pageUpTo(
  last: LoggedFact | undefined,
  passed: readonly LoggedFact[],
  applied: Checkpoint,
): FactsPage {
  const reached = last === undefined ? applied : { position: last.position, id: last.id }
  return { facts: passed.map(read), reached, atHead: reached.position >= applied.position }
}

function read(logged: LoggedFact) {
  const fact = readFact(logged)
  if (fact === undefined) throw new UnreadableFact(`fact ${logged.id} is of no type of ours`)
  return feedFact({ logged, fact })
}
