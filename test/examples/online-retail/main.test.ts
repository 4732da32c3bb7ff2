import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { accountIn, startClient } from './program.js'
import { startStub, type Answer, type Seen, type StubService } from './stub-service.js'

const key = 'a-key-that-nobody-may-see'
const header = 'InvoiceNo,StockCode,Description,Quantity,InvoiceDate,UnitPrice,CustomerID,Country\n'
let invoice = 0
/** Of an invoice of its own. */
const line = (customer: string, country = 'France') =>
  `${String((invoice += 1))},A,LAMP,6,2010-12-01 08:26:00,2.55,${customer},${country}\n`
const lines = (count: number) => Array.from({ length: count }, () => line('1.0')).join('')

let folder: string
let stub: StubService

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'orders-'))
})

afterEach(async () => {
  rmSync(folder, { recursive: true })
  await stub.close()
})

async function run(
  content: string,
  answer: (request: Seen, index: number) => Answer,
  args: readonly string[] = [],
) {
  const file = join(folder, 'orders.csv')
  writeFileSync(file, content)
  stub = await startStub(answer)
  const ended = await startClient(stub.url, key, ['--file', file, ...args]).ended
  expect(ended.out + ended.err).not.toContain(key)
  return { ...ended, account: accountIn(ended) }
}

const stored: Answer = { status: 201 }

const isCustomer = ({ key: sent }: Seen): boolean => sent.includes('-customer-')

describe('the client program', () => {
  test('sends each customer once and each invoice as an event, and prints the counts', async () => {
    const content = [line('1.0'), line('1.0'), line(''), line('2.0')]
    const { code, account } = await run(header + content.join(''), () => stored)
    expect(code).toBe(0)
    expect(account).toMatchObject({
      'customers created': 2,
      'orders stored': 3,
      'lines without a customer': 1,
      'lines read': 4,
    })
    const customers = stub.seen.filter(isCustomer)
    const occurred_at = '2010-12-01T08:26:00Z'
    const created = { set: { country: 'France' }, occurred_at, upsert: true }
    expect(customers.map(({ body }) => body)).toEqual([
      { op: 'update_entity', external_id: '1', ...created },
      { op: 'update_entity', external_id: '2', ...created },
    ])
    const events = stub.seen.filter((request) => !isCustomer(request))
    expect(events).toHaveLength(3)
    expect(events[0]?.body).toMatchObject({
      op: 'record_event',
      entity_external_id: '1',
      occurred_at: '2010-12-01T08:26:00Z',
    })
  })

  test('has a key for each write, with equal keys in the next run and in batches of any size', async () => {
    const content = header + line('1.0') + line('1.0') + line('2.0') + line('2.0', 'Spain')
    await run(content, () => stored)
    const keys = stub.seen.map((request) => request.key).sort()
    expect(new Set(keys).size).toBe(7)
    await stub.close()
    await run(content, () => stored, ['--batch', '1'])
    expect(stub.seen.map((request) => request.key).sort()).toEqual(keys)
    await stub.close()
    await run(content + line(''), () => stored)
    for (const request of stub.seen) expect(keys).not.toContain(request.key)
  })

  test('repeats only writes that may succeed later, and counts refusals by code: exit code 2', async () => {
    const passing = ['503', '504'].map((code): Answer => ({ status: Number(code), code }))
    const answer = (request: Seen): Answer => {
      if (isCustomer(request)) return { status: 200 }
      if (request.key.endsWith('-order-of-line-3'))
        return { status: 422, code: 'validation_failed' }
      if (request.key.endsWith('-order-of-line-4')) return passing.shift() ?? stored
      return stored
    }
    const { code, account } = await run(header + lines(3), answer)
    expect(code).toBe(2)
    expect(account).toMatchObject({
      'customers updated': 1,
      'orders stored': 2,
      'orders refused': 1,
      validation_failed: 1,
      'lines read': 3,
    })
    const sent = (ending: string) => stub.seen.filter(({ key }) => key.endsWith(ending)).length
    expect([
      sent('customer-of-line-2'),
      sent('-order-of-line-3'),
      sent('-order-of-line-4'),
    ]).toEqual([1, 1, 3])
  })

  test('stops with exit code 1 and a message when the service stays unavailable', async () => {
    // A Retry-After beyond the limit ends it without a wait.
    const away: Answer = {
      status: 503,
      code: 'store_unavailable',
      headers: { 'Retry-After': '3600' },
    }
    const { code, out, err } = await run(header + lines(500), () => away)
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(err).toMatch(/did not store a request within 60 s: 503 store_unavailable/)
    expect(err).toMatch(/Run it again on the same file/)
    expect(err).not.toMatch(/Warning| {4}at /)
  })

  test('stops with exit code 1 at an invalid row, and names the line', async () => {
    const { code, err } = await run(`${header}${line('1.0')}1,A,LAMP\n`, () => stored)
    expect(code).toBe(1)
    expect(err).toMatch(/orders\.csv: line 3: /)
    expect(err).not.toMatch(/ {4}at /)
  })
})
