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
    const { after, limit, types } = query
    const limits = { facts: mostLooked(query), bytes: maxBytes }
    const looked = this.facts.page(after, applied.position, limits)
    const passed = looked.filter((fact) => isOurs(fact) && (types?.includes(fact.type) ?? true))
    return pageOf(looked, passed.slice(0, limit), passed.length > limit, applied)
  }

  private ofStream(query: FactsQuery, stream: string, applied: Checkpoint): FactsPage {
    const { after, limit, types } = query
    const most = mostLooked(query)
    const entity = stream.startsWith(entityPrefix)
      ? this.ids.of(stream.slice(entityPrefix.length))
      : undefined
    if (entity === undefined) return { facts: [], reached: applied, atHead: true }
    const looked: LoggedFact[] = []
    const passed: LoggedFact[] = []
    let bytes = 0
    for (const row of this.places.all(entity, after, applied.position, most)) {
      const [position = 0] = numbersIn(row)
      if (passed.length === limit || bytes > maxBytes) {
        return pageOf(looked, passed, true, applied)
      }
      const { logged } = this.facts.at(position)
      looked.push(logged)
      bytes += logged.data.length + logged.metadata.length
      if (types?.includes(logged.type) ?? true) passed.push(logged)
    }
    const isWhole = looked.length < most
    const facts = passed.map(read)
    return isWhole
      ? { facts, reached: applied, atHead: true }
      : pageOf(looked, passed, false, applied)
  }
}

function mostLooked({ lookAt = maxLooked }: FactsQuery): number {
  return Math.min(lookAt, maxLooked)
}

/** `isCut`: some that pass are left for the next page, which begins after the last of `passed`. */
function pageOf(
  looked: readonly LoggedFact[],
  passed: readonly LoggedFact[],
  isCut: boolean,
  applied: Checkpoint,
): FactsPage {
  const last = isCut ? passed.at(-1) : looked.at(-1)
  const reached = last === undefined ? applied : { position: last.position, id: last.id }
  return {
    facts: passed.map(read),
    reached,
    atHead: reached.position >= applied.position,
  }
}

function read(logged: LoggedFact) {
  const fact = readFact(logged)
  if (fact === undefined) throw new UnreadableFact(`fact ${logged.id} is of no type of ours`)
  return feedFact({ logged, fact })
}
