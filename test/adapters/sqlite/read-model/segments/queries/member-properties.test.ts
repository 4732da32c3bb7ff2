import { expect, it } from '@jest/globals'
import fc from 'fast-check'
import type { Json, JsonObject } from '../../../../../../src/domain/json.js'
import { quickOrThorough } from '../../../../../support/thoroughness.js'
import { DrivenProjections } from '../../../../../support/segments/driven-projections.js'
import { SmallLog } from '../../../../../support/segments/small-log.js'

const numRuns = quickOrThorough({ quick: 10, thorough: 500 })
const at = '2026-11-20T09:30:00.000Z'

/** Every entity is a member. */
async function driven(profiles: readonly JsonObject[]): Promise<DrivenProjections> {
  const small = new SmallLog()
  for (const [n, properties] of profiles.entries()) small.created(at, properties, `e${String(n)}`)
  small.defined(at, 'all', { everyone: true })
  const projections = new DrivenProjections()
  projections.addAll(small.log)
  await projections.settle()
  return projections
}

/** Reads all pages. Returns the properties of each member, and the number of items of each page. */
async function membersOf(
  projections: DrivenProjections,
  properties: readonly string[],
  limit: number,
) {
  const items: [externalId: string, properties: unknown][] = []
  const pages: number[] = []
  let after: number | undefined
  do {
    const page = await projections.query('segmentMembers', { key: 'all', properties, after, limit })
    pages.push(page?.items.length ?? 0)
    for (const { externalId, properties: found } of page?.items ?? []) {
      items.push([externalId, found?.value])
    }
    after = page?.next
  } while (after !== undefined)
  return { items, pages }
}

/** The expected value at each pointer. */
const places: Readonly<Record<string, (profile: JsonObject) => unknown>> = {
  '/email': (profile) => own(profile, 'email'),
  '/a~1b': (profile) => own(profile, 'a/b'),
  '/a~1b/c': (profile) => own(own(profile, 'a/b'), 'c'),
  '/email/1': (profile) => own(own(profile, 'email'), '1'),
  '/email/length': () => undefined,
  '/constructor': (profile) => own(profile, 'constructor'),
}

function own(value: unknown, name: string): unknown {
  const isThere = typeof value === 'object' && value !== null && Object.hasOwn(value, name)
  return isThere ? Object.entries(value).find(([key]) => key === name)?.[1] : undefined
}

const value: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom(null, '', 'x', 0, false, '🙂'),
  fc.array(fc.constantFrom('a', 7), { maxLength: 3 }),
  fc.record({ c: fc.constantFrom('x', null) }),
)
const profile = fc.dictionary(fc.constantFrom('email', 'a/b', 'constructor'), value, {
  noNullPrototype: true,
})

it('members have the wanted properties of their profile, and missing properties are left out', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(profile, { maxLength: 7 }),
      fc.subarray(Object.keys(places), { minLength: 1 }),
      fc.integer({ min: 1, max: 8 }),
      async (profiles, pointers, limit) => {
        const projections = await driven(profiles)
        const { items } = await membersOf(projections, pointers, limit)
        projections.close()
        expect(items).toEqual(
          profiles.map((properties, n) => {
            const found = pointers.map(
              (pointer) => [pointer, places[pointer]?.(properties)] as const,
            )
            const there = found.filter(([, one]) => one !== undefined)
            return [`e${String(n)}`, Object.fromEntries(there)]
          }),
        )
      },
    ),
    { numRuns },
  )
})

it('a page ends when the profiles read for it reach 4 MiB, even if few properties are wanted', async () => {
  const half = 'x'.repeat(524_288)
  const projections = await driven(Array.from({ length: 20 }, (_, n) => ({ half, n })))
  const { items, pages } = await membersOf(projections, ['/n'], 1_000)
  projections.close()
  expect(pages).toEqual([8, 8, 4])
  expect(items).toEqual(Array.from({ length: 20 }, (_, n) => [`e${String(n)}`, { '/n': n }]))
})

it('the size of a page counts the pointers in each item', async () => {
  const pointers = Array.from({ length: 16 }, (_, n) => `/${String(n % 10)}${'顧'.repeat(254)}`)
  const projections = await driven(Array.from({ length: 400 }, () => ({})))
  const { pages } = await membersOf(projections, pointers, 1_000)
  projections.close()
  const bytes = Buffer.byteLength(`{}${pointers.join()}`)
  expect(pages[0]).toBe(Math.ceil(4_194_304 / bytes))
})
