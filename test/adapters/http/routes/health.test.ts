import { afterEach, describe, expect, test } from '@jest/globals'
import { Refusal } from '../../../../src/application/ports/refusal.js'
import { expectFault } from '../../../support/fault-expectation.js'
import { httpService, StoppedClock, type HttpService } from '../../../support/http-service.js'

let service: HttpService
afterEach(() => service.server.close())

const get = (url: string) => service.server.inject({ method: 'GET', url })

test('live and ready have separate routes', async () => {
  service = httpService()
  const [live, ready] = [await get('/health/live'), await get('/health/ready?verbose')]
  expect([live.statusCode, live.json()]).toEqual([
    200,
    { status: 'success', data: { health: 'live' } },
  ])
  expect([ready.statusCode, ready.json()]).toEqual([
    200,
    { status: 'success', data: { health: 'ready' } },
  ])
  for (const reply of [live, ready]) {
    expect(reply.headers['content-type']).toBe('application/json; charset=utf-8')
  }
})

test('without its store the service is live but not ready, with a fixed text', async () => {
  service = httpService({
    health: {
      check: () => Promise.reject(new Refusal('store_unavailable', 'no route to 10.0.0.1')),
    },
  })
  const reply = await get('/health/ready')
  const fault = expectFault(reply, 503, 'store_unavailable')
  expect(fault.message).toBe('The store is not available. Ask again later.')
  expect(reply.headers['retry-after']).toBe('1')
  expect((await get('/health/live')).statusCode).toBe(200)
  expect(service.log.lines).toEqual([])
})

describe('the store is checked at most once a second', () => {
  const countingHealth = (asked: string[], clock: StoppedClock) => ({
    check: () => {
      asked.push(clock.time)
      return Promise.resolve()
    },
  })

  test.each([
    ['at the same time', '2026-11-20T09:30:00.000Z', 1],
    ['just before a second has passed', '2026-11-20T09:30:00.999Z', 1],
    ['when a second has passed', '2026-11-20T09:30:01.000Z', 2],
    ['when the clock was set back by less', '2026-11-20T09:29:59.001Z', 1],
    ['when the clock was set back by a second', '2026-11-20T09:29:59.000Z', 2],
  ])('%s', async (_when, time, times) => {
    const clock = new StoppedClock()
    const asked: string[] = []
    service = httpService({ clock, health: countingHealth(asked, clock) })
    await get('/health/ready')
    clock.time = time
    expect((await get('/health/ready')).statusCode).toBe(200)
    expect(asked).toHaveLength(times)
  })

  test('when many callers ask during a check', async () => {
    const clock = new StoppedClock()
    const asked: string[] = []
    service = httpService({ clock, health: countingHealth(asked, clock) })
    await Promise.all([get('/health/ready'), get('/health/ready'), get('/health/ready')])
    expect(asked).toHaveLength(1)
  })

  test('and a later result replaces the earlier one', async () => {
    const clock = new StoppedClock()
    let answers = false
    const check = () =>
      answers ? Promise.resolve() : Promise.reject(new Refusal('store_unavailable', 'no'))
    service = httpService({ clock, health: { check } })
    expect((await get('/health/ready')).statusCode).toBe(503)
    answers = true
    expect((await get('/health/ready')).statusCode).toBe(503)
    clock.time = '2026-11-20T09:30:01.000Z'
    expect((await get('/health/ready')).statusCode).toBe(200)
  })
})
