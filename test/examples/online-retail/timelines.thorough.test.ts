import { beforeAll, expect, it } from '@jest/globals'
import { z } from 'zod'
import { ordersOfOneDay } from '../../../examples/online-retail/options.js'
import { runClient } from '../../../examples/online-retail/run-client.js'
import { cursorPages, feedPages, type ListQuery } from '../../support/paging/cursor-pages.js'
import { sharedService } from '../../support/shared-service.js'
import { OrderSums, sumsInFile } from './order-sums.js'

/** A file of a month or more, as the example takes it. */
const file = process.env['SHOP_ORDERS'] ?? ordersOfOneDay
/** Smaller than what most customers have, so that there are many pages. */
const limit = '7'
/** For a large file. */
const longestMs = 600_000

const customer = z.object({ external_id: z.string() })
const item = z.object({
  id: z.string(),
  name: z.string(),
  timestamp: z.string(),
  occurred_at: z.string(),
  properties: z.object({ quantity: z.number(), total: z.number() }),
})
type Item = z.infer<typeof item>
const recorded = z.object({
  id: z.string(),
  position: z.string(),
  data: z.object({ recordedAt: z.string() }),
})

const service = sharedService({ READ_MODEL: 'data/read-model.db' })
const expected = sumsInFile(file)
/** Where the log has each event, and when it was recorded. */
const places = new Map<string, { readonly position: number; readonly recordedAt: string }>()
let customers: readonly string[] = []
let position = 0

beforeAll(async () => {
  const url = new URL(service().origin)
  const options = { url, key: service().key, file, batch: 250, inFlight: 4, limitMs: 60_000 }
  const silent = { done: () => undefined, stop: () => undefined }
  const report = await runClient(options, { progressOf: () => silent, remark: () => undefined })
  position = Number(report.position)
  customers = (await whole(cursorPages(service(), list('/entities'), customer))).map(
    ({ external_id: id }) => id,
  )
  const events = { path: '/facts', query: { types: 'EventRecorded', limit: '1000' }, position }
  for (const fact of await whole(feedPages(service(), events, recorded))) {
    places.set(fact.id, { position: Number(fact.position), recordedAt: fact.data.recordedAt })
  }
}, longestMs)

function list(path: string, query: Readonly<Record<string, string>> = {}): ListQuery {
  return { path, query: { ...query, limit }, position }
}

async function whole<T>(pages: AsyncIterable<readonly T[]>): Promise<readonly T[]> {
  const items: T[] = []
  for await (const page of pages) items.push(...page)
  return items
}

function placeOf({ id, timestamp }: Item): number {
  const place = places.get(id)
  expect([id, place?.recordedAt]).toEqual([id, timestamp])
  return place?.position ?? 0
}

/** Each after the one before: so nothing comes twice. Equal instants are in the order of the log. */
function expectOrder(items: readonly Item[], by: string, order: string): void {
  const keys = items.map((one): readonly [number, number] => [
    by === 'occurred' ? Date.parse(one.occurred_at) : 0,
    placeOf(one),
  ])
  const sign = order === 'asc' ? 1 : -1
  const sorted = keys.toSorted(([at, place], [otherAt, otherPlace]) =>
    at === otherAt ? sign * (place - otherPlace) : sign * (at - otherAt),
  )
  expect(keys).toEqual(sorted)
  expect(new Set(items.map(({ id }) => id)).size).toBe(items.length)
}

it('the customers of the file are there, each once', () => {
  expect(customers.toSorted()).toEqual([...expected.customers].toSorted())
  expect(places.size).toBe(expected.lines)
})

const ways: readonly (readonly [by: string, order: string])[] = [
  ['occurred', 'desc'],
  ['recorded', 'asc'],
  ['occurred', 'asc'],
  ['recorded', 'desc'],
]

it.each(ways)(
  'the timelines of all customers, by when it %s, %s, add up to what the file says',
  async (by, order) => {
    const found = new OrderSums()
    let pages = 0
    for (const id of customers) {
      const items: Item[] = []
      const asked = list(`/entities/${encodeURIComponent(id)}/events`, { by, order })
      for await (const page of cursorPages(service(), asked, item)) {
        expect(page.length).toBeLessThanOrEqual(Number(limit))
        items.push(...page)
        pages += 1
      }
      expectOrder(items, by, order)
      for (const { name, occurred_at: at, properties } of items) {
        const day = at.slice(0, 'YYYY-MM-DD'.length)
        found.add(id, day, name, properties.quantity, Math.round(properties.total * 100))
      }
    }
    expect(found.sums).toEqual(expected.sums)
    expect(pages).toBeGreaterThan(customers.length)
  },
  longestMs,
)
