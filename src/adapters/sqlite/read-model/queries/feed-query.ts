import type {
  Checkpoint,
  FactsPage,
  FactsQuery,
  FeedFact,
} from '../../../../application/reading/ports/read-model.js'
import { isOurs } from '../../../../application/facts/our-streams.js'
import type { InPieces } from '../../../../domain/in-pieces.js'
import { dataText, requestIdOf } from '../../../../application/facts/fact-text.js'
import type { LoggedFact } from '../../../../application/facts/ports/fact-log.js'
import { erasedPrefix, erasedStream } from '../../../../domain/erasures.js'
import { readFact } from '../../../../application/facts/fact-format.js'
import { missing } from '../../file/fact-reader.js'
import type { ReadModelTables } from '../read-model-tables.js'
import { maxPageBytes, PageSize } from './page-size.js'

const maxFactsRead = 1_000

const entityPrefix = 'entity-'

interface ReadFacts {
  readonly passed: readonly LoggedFact[]
  /** The last fact that was read. Undefined when no fact is left up to the applied position. */
  readonly last: LoggedFact | undefined
}

/** Answers the query `facts`: pages of facts up to the applied position. */
export class FeedQueries {
  constructor(private readonly tables: ReadModelTables) {}

  *page(query: FactsQuery, applied: Checkpoint): InPieces<FactsPage> {
    if (query.after >= applied.position) return { facts: [], reached: applied, atHead: true }
    const { passed, last } =
      query.stream === undefined
        ? this.ofLog(query, applied)
        : yield* this.ofStream(query, query.stream, applied)
    const facts: FeedFact[] = []
    for (const logged of passed) {
      facts.push(read(logged))
      yield
    }
    const reached = last === undefined ? applied : { position: last.position, id: last.id }
    return { facts, reached, atHead: reached.position >= applied.position }
  }

  private ofLog(query: FactsQuery, applied: Checkpoint): ReadFacts {
    const { after, limit, bytes = maxPageBytes } = query
    const page = this.tables.facts.page(after, applied.position, {
      facts: mostFactsRead(query),
      bytes,
    })
    const passed = page
      .filter((fact) => isOurs(fact) && this.isServed(fact) && passes(fact, query))
      .slice(0, limit)
    return { passed, last: passed.length === limit ? passed.at(-1) : page.at(-1) }
  }

  private *ofStream(query: FactsQuery, stream: string, applied: Checkpoint): InPieces<ReadFacts> {
    const { after, limit } = query
    const size = new PageSize(query.bytes)
    const passed: LoggedFact[] = []
    let last: LoggedFact | undefined
    const positions = this.positions(stream, after, applied.position, mostFactsRead(query))
    for (const position of positions) {
      const logged = this.tables.facts.find(position) ?? missing(position)
      if (passed.length === limit || !size.fits(logged.data)) return { passed, last }
      size.add(logged.data)
      if (passes(logged, query)) passed.push(logged)
      last = logged
      yield
    }
    const isAtEnd = positions.length < mostFactsRead(query)
    return { passed, last: isAtEnd ? undefined : last }
  }

  /**
   * Returns whether the feed includes the fact. The feed excludes all facts of an erased entity except
   * `EntityErased`.
   */
  isServed({ type, stream, streamStart = 0 }: LoggedFact): boolean {
    if (type === 'EntityErased') return true
    return (
      type !== 'FactErased' &&
      !stream.startsWith(erasedPrefix) &&
      !this.tables.erased.hasEntity(streamStart)
    )
  }

  private positions(stream: string, after: number, until: number, most: number) {
    const isOfEntity = stream.startsWith(entityPrefix)
    const entity = isOfEntity ? this.tables.ids.of(stream.slice(entityPrefix.length)) : undefined
    const positions: number[] = []
    if (entity === undefined) return positions
    for (const { position } of this.tables.logs.after(entity, after)) {
      if (position > until || positions.length === most) break
      positions.push(position)
    }
    return positions
  }
}

/**
 * Returns the most facts to read for one page. Without a filter by type, the page includes each fact, so no more
 * than `limit` facts are read.
 */
function mostFactsRead({ lookAt = maxFactsRead, types, limit }: FactsQuery): number {
  return Math.min(lookAt, maxFactsRead, types === undefined ? limit : maxFactsRead)
}

function passes({ type }: LoggedFact, { types }: FactsQuery): boolean {
  return types === undefined || types.includes(type)
}

function read(logged: LoggedFact): FeedFact {
  const { position, id, type } = logged
  const stream = streamOf(logged)
  return { position, id, type, stream, data: dataText(logged), requestId: requestIdOf(logged) }
}

/**
 * Returns the stream name to show. The stored stream name of an `EntityErased` may contain the external id,
 * because some stores cannot rename a stream. The shown name contains the entity id instead.
 */
function streamOf(logged: LoggedFact): string {
  if (logged.type !== 'EntityErased') return logged.stream
  const fact = readFact(logged)
  return fact?.type === 'EntityErased' ? erasedStream(fact.data.entityId) : logged.stream
}
