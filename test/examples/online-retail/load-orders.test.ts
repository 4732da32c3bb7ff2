import { describe, expect, test } from '@jest/globals'
import { DossierError, type BatchItem, type BatchResult, type Dossier } from 'dossier/client'
import { loadOrders } from '../../../examples/online-retail/load-orders.js'
import type { Order } from '../../../examples/online-retail/orders.js'
import { GaveUp, NotDossier } from '../../../examples/online-retail/outcome.js'
import { Tally } from '../../../examples/online-retail/tally.js'

const orderedAt = Date.parse('2010-12-01T08:26:00Z')

function order(line: number, externalId: string, country = 'France'): Order {
  const properties = { invoice: '1', total: 1, items: 1, lines: 1 }
  const occurred_at = '2010-12-01T08:26:00Z'
  const customer = externalId === '' ? undefined : { externalId, country }
  return { line, lines: 1, customer, event: { name: 'purchase', properties, occurred_at } }
}

/** The orders of these customers, one line each: `1`, or `1 Spain`. */
async function* ordersOf(...customers: readonly string[]): AsyncGenerator<Order> {
  for (const [index, text] of customers.entries()) {
    const [customer = '', country] = text.split(' ')
    yield await Promise.resolve(order(index + 2, customer, country))
  }
}

type Judge = (item: BatchItem, index: number) => Partial<BatchResult>

const created: Judge = () => ({ status: 201 })

function failed(code: DossierError['code'], status?: number, stored: 'no' | 'unknown' = 'no') {
  return { error: new DossierError({ code, message: 'It failed.', status, stored }) }
}

/** A client whose batches are answered as the test says, one item after the other. */
function dossierWith(judge: Judge, sent: BatchItem[] = []): Pick<Dossier, 'batch'> {
  async function* batch(items: Iterable<BatchItem> | AsyncIterable<BatchItem>) {
    for await (const given of items) {
      const item = { idempotency_key: '', ...given }
      sent.push(item)
      const stored = { item, status: 201, data: {}, position: '1', replayed: false } as const
      const judged = judge(item, sent.length - 1)
      if (judged.error === undefined) yield { ...stored, ...judged }
      else yield { item, error: judged.error }
    }
  }
  return { batch }
}

async function load(
  orders: AsyncGenerator<Order>,
  judge = created,
  more: { readonly areCustomersOlder?: boolean } = {},
) {
  const tally = new Tally()
  const done: number[] = []
  const sent: BatchItem[] = []
  const lineDone = (line: number) => void done.push(line)
  const options = { file: 'digest', timeoutMs: 60_000, lineDone, ...more }
  const run = loadOrders(orders, dossierWith(judge, sent), tally, options)
  const error = await run.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  return { tally, done, sent, error }
}

describe('a file that is sent', () => {
  test('has each customer once, before the first event, and no line without a customer', async () => {
    const { tally, sent, done } = await load(ordersOf('1', '2', '1', '', '1', '2'))
    const about = (item: BatchItem) =>
      'external_id' in item ? item.external_id : item.entity_external_id
    expect(sent.map((item) => `${item.op} ${about(item)}`)).toEqual([
      ...['update_entity 1', 'record_event 1', 'update_entity 2', 'record_event 2'],
      ...['record_event 1', 'record_event 1', 'record_event 2'],
    ])
    expect(tally.customers.created).toBe(2)
    expect(tally.orders.created).toBe(5)
    expect(tally).toMatchObject({ linesRead: 6, withoutCustomer: 1 })
    expect(done.sort()).toEqual([2, 3, 4, 5, 6, 7])
  })

  const customerTimes = (sent: readonly BatchItem[]) =>
    sent.flatMap((item) => (item.op === 'update_entity' ? Date.parse(item.occurred_at ?? '') : []))

  test('creates customers with their first order', async () => {
    const { sent } = await load(ordersOf('1', '2'))
    expect(customerTimes(sent)).toEqual([orderedAt, orderedAt])
  })

  test('can create customers on days of the year before, equal in each run, and then change them with their orders', async () => {
    const customers = Array.from({ length: 100 }, (_, number) => String(number))
    const run = () => load(ordersOf(...customers, '1 Spain'), created, { areCustomersOlder: true })
    const times = customerTimes((await run()).sent)
    expect(customerTimes((await run()).sent)).toEqual(times)
    expect(times.pop()).toBe(orderedAt)
    const days = times.map((at) => (orderedAt - at) / 86_400_000)
    expect(days.every((day) => Number.isInteger(day) && day >= 0 && day < 365)).toBe(true)
    // Evenly spread, 100 customers are on about 88 different days.
    expect(new Set(days).size).toBeGreaterThan(70)
  })

  test.each([
    ['did not come in time', failed('no_reply'), GaveUp],
    ['may be stored later', failed('store_unavailable', 503), GaveUp],
    ['may be stored', failed('internal_error', 500, 'unknown'), GaveUp],
    ['is none of Dossier', failed('unreadable_reply', 200, 'unknown'), NotDossier],
  ])('stops at an answer that %s, and takes no more lines', async (_, answer, kind) => {
    let taken = 0
    const lines = async function* () {
      for (let line = 2; ; line += 1) {
        taken += 1
        yield await Promise.resolve(order(line, '1'))
      }
    }
    const { error } = await load(lines(), (_item, at) => (at === 9 ? answer : {}))
    expect(error).toBeInstanceOf(kind)
    expect(taken).toBeLessThan(20)
  })
})
