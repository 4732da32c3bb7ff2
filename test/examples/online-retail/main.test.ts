import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { accountIn, startClient } from './program.js'
import { startStub, type Answer, type Seen, type StubService } from './stub-service.js'

const key = 'a-key-that-nobody-may-see'
const header = 'InvoiceNo,StockCode,Description,Quantity,InvoiceDate,UnitPrice,CustomerID,Country\n'
const line = (customer: string) => `1,A,LAMP,6,2010-12-01 08:26:00,2.55,${customer},France\n`

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

describe('the client program', () => {
  test('sends each customer once and each line as an event, and prints its account', async () => {
    const lines = [line('1.0'), line('1.0'), line(''), line('2.0')]
    const { code, account } = await run(header + lines.join(''), () => stored)
    expect(code).toBe(0)
    expect(account).toMatchObject({
      'customers created': 2,
      'events stored': 3,
      'lines without a customer': 1,
      'lines read': 4,
    })
    const entities = stub.seen.filter(({ path }) => path === '/entities')
    expect(entities.map(({ body }) => body)).toEqual([
      { external_id: '1', properties: { country: 'France' } },
      { external_id: '2', properties: { country: 'France' } },
    ])
    expect(stub.seen.filter(({ path }) => path === '/events')).toHaveLength(3)
  })

  test('has a key for each request of the file, and the same ones in the next run', async () => {
    const content = header + line('1.0') + line('1.0') + line('2.0')
    await run(content, () => stored)
    const keys = stub.seen.map((request) => request.key).sort()
    expect(new Set(keys).size).toBe(5)
    await stub.close()
    await run(content, () => stored)
    expect(stub.seen.map((request) => request.key).sort()).toEqual(keys)
    await stub.close()
    await run(content + line(''), () => stored)
    for (const request of stub.seen) expect(keys).not.toContain(request.key)
  })

  test('goes on with a customer that exists, and counts refusals by code: exit code 2', async () => {
    const answer = ({ path, key: sent }: Seen): Answer => {
      if (path === '/entities') return { status: 409, code: 'entity_exists' }
      return sent.endsWith('-line-3') ? { status: 422, code: 'validation_failed' } : stored
    }
    const { code, account } = await run(header + line('1.0') + line('1.0'), answer)
    expect(code).toBe(2)
    expect(account).toMatchObject({
      'customers already there': 1,
      'events stored': 1,
      'events refused': 1,
      validation_failed: 1,
      'lines read': 2,
    })
  })

  test('stops with exit code 1 when the service stays away, and says so', async () => {
    // A Retry-After beyond the limit ends it without a wait.
    const away: Answer = {
      status: 503,
      code: 'store_unavailable',
      headers: { 'Retry-After': '3600' },
    }
    const { code, out, err } = await run(header + line('1.0').repeat(500), () => away)
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(err).toMatch(/did not store a request within 60 s: 503 store_unavailable/)
    expect(err).toMatch(/Run it again on the same file/)
    expect(err).not.toMatch(/Warning| {4}at /)
  })

  test('stops with exit code 1 at a row that is none, and names the line', async () => {
    const { code, err } = await run(`${header}${line('1.0')}1,A,LAMP\n`, () => stored)
    expect(code).toBe(1)
    expect(err).toMatch(/orders\.csv: line 3: /)
    expect(err).not.toMatch(/ {4}at /)
  })
})
