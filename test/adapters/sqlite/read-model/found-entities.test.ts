import { join } from 'node:path'
import { afterEach, describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { openDatabase, prepareRows } from '../../../../src/adapters/sqlite/file/driver.js'
import { propertyKey } from '../../../../src/adapters/sqlite/read-model/property-index.js'
import { SqliteProjections } from '../../../../src/adapters/sqlite/read-model/sqlite-projections.js'
import { toStored } from '../../../../src/application/facts/fact-format.js'
import type { Fact } from '../../../../src/application/facts/fact-table.js'
import type { ListedEntity, Part } from '../../../../src/application/reading/ports/read-model.js'
import { changeProperties, createEntity } from '../../../../src/domain/entity.js'
import { recordEvent } from '../../../../src/domain/event.js'
import type { Decision } from '../../../../src/domain/facts.js'
import type { Json, JsonObject } from '../../../../src/domain/json.js'
import { nameViolations } from '../../../../src/domain/name.js'
import { applyAll } from '../../../support/apply-all.js'
import { quickOrThorough } from '../../../support/thoroughness.js'
import { temporaryFolders } from '../../../support/temporary-folder.js'
import { codePoint } from '../../../support/code-point.js'

const folder = temporaryFolders()
const numRuns = quickOrThorough({ quick: 5, thorough: 500 })

const opened: SqliteProjections[] = []
afterEach(() => {
  for (const one of opened.splice(0)) one.close()
})

/** A read model that applies facts one by one and is queried between them. */
class Followed {
  readonly dropped: string[] = []
  readonly projections: SqliteProjections
  private position = 0

  constructor(searchProperties: readonly string[], path = 'memory:') {
    this.projections = SqliteProjections.open({
      path,
      factsFile: undefined,
      searchProperties,
      onDropped: (reason) => this.dropped.push(reason),
      onDiverged: () => undefined,
    })
    this.position = this.projections.checkpoint.position
    opened.push(this.projections)
  }

  create(externalId: string, properties: JsonObject = {}): void {
    this.apply((fact) => createEntity({ ...fact, externalId, properties }))
  }

  change(externalId: string, set: JsonObject, unset: readonly string[] = []): void {
    this.apply((fact) => changeProperties({ ...fact, externalId, set, unset }))
  }

  record(entityExternalId: string): void {
    const event = { entityExternalId, name: 'buy', properties: {}, occurredAt: undefined }
    this.apply((fact) => recordEvent({ ...fact, ...event }))
  }

  async byName(startsWith: string, after: string | undefined, limit: number) {
    return (await this.projections.answer('entitiesByName', { startsWith, after, limit })).value
  }

  async byProperty(pointer: string, text: string, after?: number, limit = 1_000) {
    const query = { pointer, text, after, limit }
    return (await this.projections.answer('entitiesByProperty', query)).value
  }

  close(): void {
    opened.splice(opened.indexOf(this.projections), 1)
    this.projections.close()
  }

  private apply(
    decide: (fact: { readonly factId: string; readonly now: Date }) => Decision<Fact>,
  ): void {
    this.position += 1
    const factId = `01a1ff14-0000-7000-8000-${String(this.position).padStart(12, '0')}`
    const { facts, stream } = decide({ factId, now: new Date(this.position) })
    const stored = toStored(facts[0], { requestId: 'request', keyHash: undefined })
    applyAll(this.projections, [{ ...stored, stream, position: this.position }])
  }
}

/** Compares texts by their UTF-8 bytes, which is the order of code points. */
function byCodePoint(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right))
}

/** Reads a whole list page by page, and runs a function between the pages. */
async function paged<Cursor>(
  page: (after: Cursor | undefined) => Promise<Part<ListedEntity, Cursor>>,
  between: () => void,
): Promise<readonly string[]> {
  const seen: string[] = []
  let after: Cursor | undefined
  for (;;) {
    const { items, next } = await page(after)
    seen.push(...items.map(({ externalId }) => externalId))
    if (next === undefined) return seen
    expect(items).not.toEqual([])
    after = next
    between()
  }
}

describe('entities by the beginning of their id', () => {
  /** Characters next to each code point where the order of UTF-16 differs, and the last code point. */
  const edges = ['a', 'b', 'é', '顧', '\ud7ff', '\ue000', '\uffff', '\u{10000}', '🙂', '\u{10ffff}']
  const character = fc.oneof(
    { arbitrary: fc.constantFrom(...edges), weight: 4 },
    { arbitrary: fc.string({ unit: codePoint, minLength: 1, maxLength: 1 }), weight: 1 },
  )
  const someText = fc.string({ unit: character, minLength: 1, maxLength: 3 })
  const ids = fc.uniqueArray(
    someText.filter((text) => nameViolations(text).length === 0),
    { minLength: 1, maxLength: 30 },
  )

  it('are all listed by code point, without gaps or duplicates, while other entities are created', async () => {
    await fc.assert(
      fc.asyncProperty(
        ids,
        someText,
        fc.integer({ min: 1, max: 4 }),
        fc.nat({ max: 30 }),
        async (all, text, limit, later) => {
          const followed = new Followed([])
          const left = [...all]
          const createNext = () => {
            const id = left.shift()
            if (id !== undefined) followed.create(id)
          }
          while (left.length > Math.min(later, all.length - 1)) createNext()
          followed.projections.finishBuild()
          for (const startsWith of [text, ...edges]) {
            const there = all.slice(0, all.length - left.length)
            const seen = await paged(
              (after: string | undefined) => followed.byName(startsWith, after, limit),
              createNext,
            )
            const begins = (id: string) => id.startsWith(startsWith)
            expect(seen).toEqual([...new Set(seen)].sort(byCodePoint))
            expect(seen.filter((id) => there.includes(id))).toEqual(
              there.filter(begins).sort(byCodePoint),
            )
            expect(seen.filter((id) => !begins(id))).toEqual([])
          }
        },
      ),
      { numRuns },
    )
  })
})

describe('entities by a property', () => {
  const places: Readonly<Record<string, readonly string[]>> = {
    '/email': ['email'],
    '/address/city': ['address', 'city'],
    '/tags/1': ['tags', '1'],
    '/a~1b': ['a/b'],
  }
  const pointers = Object.keys(places)
  const texts = ['', 'ada@example.com', 'Ada@example.com', 'Paris', '🙂', '\uff5e', '["/email"]']
  const value: fc.Arbitrary<Json> = fc.oneof(
    fc.constantFrom(...texts),
    fc.constantFrom(null, 7, true, [], {}),
    fc.record({ city: fc.constantFrom(...texts, null) }),
    fc.array(fc.constantFrom(...texts, 7), { maxLength: 3 }),
  )
  const names = ['email', 'address', 'tags', 'a/b', 'constructor']
  const set = fc.dictionary(fc.constantFrom(...names), value, {
    maxKeys: 4,
    noNullPrototype: true,
  })
  const steps = fc.array(
    fc.record({
      entity: fc.constantFrom('ada', 'bob', 'eve', 'kim', 'lea'),
      isEvent: fc.boolean(),
      set,
      unset: fc.subarray(names, { maxLength: 2 }),
    }),
    { maxLength: 40 },
  )

  /** The profiles in the order of creation, in a simple form to compare with. */
  class Naive {
    private readonly profiles = new Map<string, Map<string, Json>>()

    has(entity: string): boolean {
      return this.profiles.has(entity)
    }

    set(entity: string, values: JsonObject, unset: readonly string[]): void {
      const profile = this.profiles.get(entity) ?? new Map<string, Json>()
      this.profiles.set(entity, profile)
      for (const name of unset) profile.delete(name)
      for (const [name, given] of Object.entries(values)) profile.set(name, given)
    }

    with(pointer: string, text: string): readonly string[] {
      return [...this.profiles].flatMap(([entity, profile]) =>
        valueIn(profile, pointer) === text ? [entity] : [],
      )
    }
  }

  function valueIn(profile: ReadonlyMap<string, Json>, pointer: string): unknown {
    const [name = '', member] = places[pointer] ?? []
    const value = profile.get(name)
    if (member === undefined) return value
    if (typeof value !== 'object' || value === null) return undefined
    return Object.entries(value).find(([key]) => key === member)?.[1]
  }

  function take(
    followed: Followed,
    naive: Naive,
    step: typeof steps extends fc.Arbitrary<readonly (infer S)[]> ? S : never,
  ) {
    const { entity, isEvent, set: given, unset } = step
    const kept = unset.filter((name) => !Object.hasOwn(given, name))
    if (!naive.has(entity)) followed.create(entity, given)
    else if (isEvent) followed.record(entity)
    else followed.change(entity, given, kept)
    if (!naive.has(entity) || !isEvent) naive.set(entity, given, kept)
  }

  it('are those whose profile has exactly this text, whenever it was changed', async () => {
    await fc.assert(
      fc.asyncProperty(steps, fc.nat({ max: 40 }), async (all, live) => {
        const followed = new Followed(pointers)
        const naive = new Naive()
        for (const [at, step] of all.entries()) {
          if (at === live) followed.projections.finishBuild()
          take(followed, naive, step)
        }
        if (followed.projections.isBuilding) followed.projections.finishBuild()
        for (const pointer of pointers) {
          for (const text of [...texts, 'nobody']) {
            const seen = await paged(
              (after: number | undefined) => followed.byProperty(pointer, text, after, 1),
              () => undefined,
            )
            expect([pointer, text, seen]).toEqual([pointer, text, naive.with(pointer, text)])
          }
        }
      }),
      { numRuns },
    )
  })

  it('are listed without gaps or duplicates over several pages while properties change', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...texts), { minLength: 1, maxLength: 20 }),
        fc.array(fc.tuple(fc.nat({ max: 24 }), fc.constantFrom(...texts)), { maxLength: 20 }),
        fc.integer({ min: 1, max: 3 }),
        async (first, changes, limit) => {
          const followed = new Followed(['/email'])
          const now = [...first]
          for (const [at, email] of first.entries()) followed.create(String(at), { email })
          followed.projections.finishBuild()
          const text = first[0] ?? ''
          const throughout = new Set(first.flatMap((email, at) => (email === text ? [at] : [])))
          const ever = new Set(throughout)
          const left = [...changes]
          const seen = await paged(
            (after: number | undefined) => followed.byProperty('/email', text, after, limit),
            () => {
              const [at, email] = left.shift() ?? []
              if (at === undefined || email === undefined) return
              const place = Math.min(at, now.length)
              if (place === now.length) followed.create(String(place), { email })
              else followed.change(String(place), { email })
              now[place] = email
              if (email === text) ever.add(place)
              else throughout.delete(place)
            },
          )
          const places = seen.map(Number)
          expect(places).toEqual([...new Set(places)].sort((one, other) => one - other))
          expect(places).toEqual(expect.arrayContaining([...throughout]))
          expect(places.filter((place) => !ever.has(place))).toEqual([])
        },
      ),
      { numRuns },
    )
  })

  it('have index rows of one size, however long the text is', async () => {
    const path = join(folder(), 'read-model.db')
    const followed = new Followed(['/email'], path)
    const email = 'x'.repeat(1_048_576)
    followed.create('ada', { email })
    followed.create('bob', { email: 'b' })
    followed.projections.finishBuild()
    expect((await followed.byProperty('/email', email)).items).toHaveLength(1)
    expect((await followed.byProperty('/email', `${email}x`)).items).toEqual([])
    followed.close()
    const db = openDatabase(path, { readOnly: true })
    const types = prepareRows(db, 'SELECT typeof(key) FROM property_texts').all()
    db.close()
    expect(types).toEqual([['integer'], ['integer']])
  })

  it('exclude entities with another text of the same key', async () => {
    const path = join(folder(), 'read-model.db')
    const made = new Followed(['/email'], path)
    for (let n = 0; n < 9; n += 1) made.create(String(n), { email: n % 3 === 2 ? 'a' : 'b' })
    made.projections.finishBuild()
    made.close()
    const db = openDatabase(path)
    db.exec(`UPDATE property_texts SET key = ${String(propertyKey('/email', 'a'))}`)
    db.close()
    const followed = new Followed(['/email'], path)
    for (const limit of [1, 2, 3, 9]) {
      const seen = await paged(
        (after: number | undefined) => followed.byProperty('/email', 'a', after, limit),
        () => undefined,
      )
      expect(seen).toEqual(['2', '5', '8'])
    }
  })

  describe('in a read model that indexed other properties', () => {
    const ids = ({ items }: Part<ListedEntity, number>) => items.map(({ externalId }) => externalId)

    function made(searchProperties: readonly string[]): string {
      const path = join(folder(), 'read-model.db')
      const followed = new Followed(searchProperties, path)
      for (let n = 0; n < 2_500; n += 1) {
        followed.create(`e${String(n)}`, { email: `${String(n % 5)}@`, plan: n % 2 ? 'a' : 'b' })
      }
      followed.projections.finishBuild()
      followed.change('e0', { plan: 'a' })
      followed.close()
      return path
    }

    it('are found by the new properties, in existing and in later profiles', async () => {
      const path = made(['/email'])
      const again = new Followed(['/plan', '/email/0'], path)
      expect([again.dropped, again.projections.isBuilding]).toEqual([[], false])
      expect(ids(await again.byProperty('/plan', 'a', undefined, 5_000))).toHaveLength(1_251)
      expect(ids(await again.byProperty('/email', '3@'))).toEqual([])
      again.change('e1', { plan: 'b' })
      again.create('new', { plan: 'a' })
      const found = ids(await again.byProperty('/plan', 'a', undefined, 5_000))
      expect([found[0], found.at(-1), found.length]).toEqual(['e0', 'new', 1_251])
      again.close()
      const back = new Followed(['/email'], path)
      expect(ids(await back.byProperty('/email', '3@'))).toHaveLength(500)
      expect(ids(await back.byProperty('/plan', 'a'))).toEqual([])
    })

    it('are found without reindexing when the properties are listed in another order', async () => {
      const path = made(['/plan', '/email'])
      const again = new Followed(['/email', '/plan'], path)
      expect(again.dropped).toEqual([])
      expect(ids(await again.byProperty('/email', '3@'))).toHaveLength(500)
    })

    it('are found after a rebuild when existing profiles cannot be read', () => {
      const path = made([])
      const db = openDatabase(path)
      db.exec(`UPDATE entities SET properties = '{' WHERE external_id = 'e7'`)
      db.close()
      const again = new Followed(['/email'], path)
      expect(again.dropped).toEqual([expect.stringContaining('its profiles cannot be indexed')])
      expect(again.projections.isBuilding).toBe(true)
      expect(again.projections.checkpoint.position).toBe(0)
    })
  })
})
