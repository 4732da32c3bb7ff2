import type {
  SearchHit,
  SearchPart,
  SearchQuery,
} from '../../../../application/reading/ports/read-model.js'
import { eventTexts } from '../../../../application/facts/fact-text.js'
import type { InPieces } from '../../../../domain/in-pieces.js'
import type { Json } from '../../../../domain/json.js'
import { parsePointer, valueAt } from '../../../../domain/segments/rule/pointer.js'
import { prepareAll, type Statements } from '../../file/driver.js'
import { numberIn, objectIn, timestampIn, valuesIn } from '../../file/row.js'
import { eventKind } from '../fact-kinds.js'
import { indexedPointers, propertyKey } from '../property-index.js'
import type { ReadModelTables } from '../read-model-tables.js'
import { listedColumns, listedIn, picking, type PickProperties } from './listed-entities.js'
import { PageSize } from './page-size.js'
import { Slice } from '../slice.js'

/** The duration of one part of a search, in milliseconds. Each part reports the progress. */
const partMs = 200

interface Search {
  readonly query: SearchQuery
  readonly steps: readonly string[]
  readonly pick: PickProperties
  readonly isWanted: (value: Json | undefined) => boolean
  /** The JSON of every wanted value contains this text, unless the JSON contains an escape. */
  readonly part: string
}

/** Searches for entities by a property of their profile or of their events, the newest entity first. */
export class EntitySearches {
  private readonly statements: Statements<typeof sql>
  private readonly indexed: ReadonlySet<string>

  constructor(private readonly tables: ReadModelTables) {
    this.statements = prepareAll(tables.db, sql)
    this.indexed = new Set(indexedPointers(tables.db))
  }

  /**
   * Searches for about `partMs`. Reads the index first, if it covers the pointer. The index contains only texts. If
   * the searched text is also the JSON of a number or a boolean, all profiles are searched afterwards.
   */
  *part(query: SearchQuery): InPieces<SearchPart> {
    const { pointer, text, event, after, properties } = query
    const isIndexed = event === undefined && this.indexed.has(pointer)
    if (after === undefined) this.tables.dictionary.write()
    const entities = numberIn(this.statements.count.get()) ?? 0
    const search = {
      query,
      steps: parsePointer(pointer),
      pick: picking(properties),
      isWanted: wanted(text, !isIndexed),
      part: JSON.stringify(text).slice(1, -1),
    }
    if (!isIndexed || after !== undefined) return yield* this.searchAll(search, entities, isIndexed)
    const { items, isCut } = yield* this.searchIndex(search)
    const next = isCut || isScalar(text) ? fromNewest : undefined
    return { isIndexed, entities, done: 0, next, items }
  }

  private *searchIndex({ query, steps, pick }: Search): InPieces<{
    readonly items: readonly SearchHit[]
    readonly isCut: boolean
  }> {
    const { pointer, text, limit, bytes } = query
    const key = propertyKey(pointer, text)
    const items: SearchHit[] = []
    const size = new PageSize(bytes)
    const read = new PageSize()
    for (let { entity: last } = fromNewest; ;) {
      const most = read.rowsAtOnce
      const rows = this.statements.byKey.all(key, last, most).map(valuesIn)
      for (const row of rows) {
        read.add(String(row[3]))
        if (items.length === limit || size.isFull) return { items, isCut: true }
        last = Number(row[0])
        const hit = hitIn(row, pick)
        if (valueAt(objectIn(String(row[3])), steps) === text) {
          items.push(hit)
          size.add(hit.properties.text)
        }
        yield
      }
      if (rows.length < most) return { items, isCut: false }
    }
  }

  private *searchAll(search: Search, entities: number, isIndexed: boolean): InPieces<SearchPart> {
    const { after = fromNewest, limit, bytes } = search.query
    const slice = new Slice(partMs)
    const size = new PageSize(bytes)
    const read = new PageSize()
    const items: SearchHit[] = []
    let { entity: last, done } = after
    for (;;) {
      const most = read.rowsAtOnce
      const rows = this.statements.before.all(last, most).map(valuesIn)
      for (const row of rows) {
        read.add(String(row[3]))
        const hit = yield* this.hitOf(search, row)
        last = Number(row[0])
        done += 1
        if (hit !== undefined) {
          items.push(hit)
          size.add(hit.properties.text)
        }
        const next = { entity: last, done }
        const isFull = items.length === limit || size.isFull
        if (isFull || slice.endsHere()) return { isIndexed, entities, done, next, items }
        yield
      }
      if (rows.length < most) return { isIndexed, entities, done, next: undefined, items }
    }
  }

  private *hitOf(search: Search, row: readonly unknown[]): InPieces<SearchHit | undefined> {
    const { query, steps, pick, isWanted, part } = search
    if (query.event !== undefined) return yield* this.eventOf(search, query.event, row)
    const properties = String(row[3])
    if (!mayContain(properties, part)) return undefined
    return isWanted(valueAt(objectIn(properties), steps)) ? hitIn(row, pick) : undefined
  }

  /**
   * Returns the entity with its newest event that matches. Returns a voided event only if the query includes voided
   * events and no other event matches.
   */
  private *eventOf(
    search: Search,
    name: string,
    row: readonly unknown[],
  ): InPieces<SearchHit | undefined> {
    const { query, pick } = search
    const { logs, facts } = this.tables
    const [entity, externalId] = row
    const kind = eventKind(name)
    const eventIn = eventTexts(String(externalId))
    const read = new PageSize()
    const most = () => read.rowsAtOnce
    const voids = logs.voids.of([Number(entity)], Infinity)
    let voided: SearchHit | undefined
    for (const positions of positionsOf(logs.before(Number(entity), Infinity), kind, most)) {
      const stored = facts.stored(positions)
      for (const position of positions) {
        const by = voids.get(position)
        if (by !== undefined && (query.withVoided !== true || voided !== undefined)) continue
        const fact = stored.get(position)
        if (fact === undefined) continue
        read.add(fact.data)
        const event = matchIn(search, name, fact.data, () => eventIn(fact))
        if (event === undefined) continue
        const hit = { ...hitIn(row, pick), eventId: event.id, occurredAt: event.occurredAt }
        if (by === undefined) return hit
        voided = { ...hit, voidedAt: timestampIn(by.at) }
      }
      yield
      // Ends if the entity was erased since the search began, because the blocks of its log are being removed.
      if (this.statements.exists.get(Number(entity)) === undefined) return undefined
    }
    return voided
  }
}

const fromNewest = { entity: Number.MAX_SAFE_INTEGER, done: 0 }

/** Yields the positions of the log entries of a kind, at most `most()` positions at a time. */
function* positionsOf(
  entries: Iterable<{ readonly position: number; readonly kind: number }>,
  wantedKind: number,
  most: () => number,
): Generator<readonly number[]> {
  let positions: number[] = []
  let looked = 0
  for (const { position, kind } of entries) {
    if (kind === wantedKind) positions.push(position)
    looked += 1
    if (positions.length < most() && looked < maxLooked) continue
    yield positions
    positions = []
    looked = 0
  }
  yield positions
}

/** The most log entries that are read between two pauses. */
const maxLooked = 1_024

/** Returns the event of a fact if it matches. Most facts are refused by their text, and are not read. */
function matchIn(
  { steps, isWanted, part }: Search,
  name: string,
  data: string,
  read: () => ReturnType<ReturnType<typeof eventTexts>>,
) {
  if (!mayContain(data, part)) return undefined
  const event = read()
  const isMatch = event.name === name && isWanted(valueAt(event.properties.value, steps))
  return isMatch ? event : undefined
}

function mayContain(json: string, part: string): boolean {
  return json.includes(part) || json.includes('\\')
}

/**
 * Returns a function that compares a value with the searched text. A number or a boolean is equal to the text if
 * its JSON is the text.
 */
function wanted(text: string, withTexts: boolean): (value: Json | undefined) => boolean {
  const scalar = isScalar(text)
  return (value) => {
    if (typeof value === 'string') return withTexts && value === text
    if (!scalar || (typeof value !== 'number' && typeof value !== 'boolean')) return false
    return JSON.stringify(value) === text
  }
}

/** Returns whether a text is the JSON of a number or a boolean. */
function isScalar(text: string): boolean {
  if (text === 'true' || text === 'false') return true
  const value = Number(text)
  return Number.isFinite(value) && JSON.stringify(value) === text
}

function hitIn(row: readonly unknown[], pick: PickProperties): SearchHit {
  const { lastEventAt: _, ...listed } = listedIn(row, pick)
  return { ...listed, eventId: undefined, occurredAt: undefined, voidedAt: undefined }
}

const sql = {
  count: 'SELECT sum(people) FROM dictionary_totals',
  exists: 'SELECT 1 FROM entities WHERE entity = ?',
  before: `SELECT ${listedColumns} FROM entities WHERE entity < ? ORDER BY entity DESC LIMIT ?`,
  byKey: `SELECT ${listedColumns} FROM property_texts CROSS JOIN entities USING (entity)
          WHERE key = ? AND entity < ? ORDER BY entity DESC LIMIT ?`,
}
