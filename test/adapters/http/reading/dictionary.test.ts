import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { expectFault } from '../../../support/fault-expectation.js'
import { readKey, StoppedClock, httpService } from '../../../support/http-service.js'

const headers = { authorization: `Bearer ${readKey}` }
const clock = new StoppedClock('2026-11-20T09:30:00.000Z')
const day = Date.UTC(2026, 10, 20) / 86_400_000

let service: ReturnType<typeof httpService>

beforeEach(() => {
  service = httpService({ clock })
})
afterEach(async () => {
  await service.server.close()
})

const get = (url: string) => service.server.inject({ url, headers })
const dataOf = async (url: string) => (await get(url)).json<{ data: unknown }>().data

describe('GET /dictionary', () => {
  test('has names, properties and types', async () => {
    const properties = [{ pointer: '/total', types: { number: 2, null: 1 }, count: 3 }]
    service.readModel.planned.dictionary = () => ({
      events: [
        {
          name: '__proto__',
          count: 3,
          firstDay: '2026-11-18',
          lastDay: '2026-11-20',
          properties,
        },
      ],
      properties: [],
      isComplete: false,
    })
    expect(await dataOf('/dictionary')).toEqual({
      events: [
        {
          name: '__proto__',
          count: 3,
          first_day: '2026-11-18',
          last_day: '2026-11-20',
          properties,
        },
      ],
      properties: [],
      complete: false,
    })
  })
})

describe('GET /totals', () => {
  beforeEach(() => {
    service.readModel.planned.totals = () => ({
      people: 3,
      events: 4,
      days: [{ day: '2026-11-20', newPeople: 1, events: [['__proto__', 2]], others: 1 }],
    })
  })

  test('has the totals and the days, also for a name like __proto__', async () => {
    const { body } = await get('/totals')
    expect(JSON.parse(body)).toEqual({
      status: 'success',
      data: JSON.parse(
        '{"people":3,"events":4,"days":[{"day":"2026-11-20","new_people":1,"events":{"__proto__":2},"others":1}]}',
      ) as unknown,
    })
    expect(body).toContain('"__proto__":2')
  })

  test.each([
    ['/totals', { since: day - 29, until: day + 1 }],
    ['/totals?since=2026-11-19', { since: day - 1, until: day + 1 }],
    ['/totals?until=2026-11-20', { since: day - 30, until: day }],
    [
      '/totals?since=2026-11-18T23:59:59Z&until=2026-11-20T00:00:01Z',
      { since: day - 2, until: day + 1 },
    ],
  ])('%s reads the days %o', async (url, expected) => {
    await get(url)
    expect(service.readModel.asked.at(-1)).toEqual({ name: 'totals', query: expected })
  })

  test.each([
    '/totals?since=2026-11-21',
    '/totals?since=2025-01-01',
    '/totals?since=2026-11-20&until=2026-11-20',
    '/totals?since=0001-01-01&until=9999-12-31',
  ])('%s is refused', async (url) => {
    const { details } = expectFault(await get(url), 400, 'malformed_request')
    expect(details).toMatchObject([{ path: '/since', code: 'number_out_of_range' }])
    expect(service.readModel.asked).toEqual([])
  })
})
