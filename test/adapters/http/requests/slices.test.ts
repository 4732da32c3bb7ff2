import { setImmediate as immediate } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, test } from '@jest/globals'
import { FairTurns } from '../../../../src/application/fair-turns.js'
import {
  httpService,
  noObserver,
  trackKey,
  writeKey,
  type HttpService,
} from '../../../support/http-service.js'

let service: HttpService
afterEach(() => service.server.close())

/**
 * Creates a service in which every reading of the clock takes a millisecond. Counts the work per tick of the event
 * loop.
 */
function serve() {
  let looks = 0
  let handled = 0
  const most = { handled: 0 }
  const nextTurn = () => {
    most.handled = Math.max(most.handled, handled)
    handled = 0
    return immediate()
  }
  const count = () => {
    handled += 1
  }
  service = httpService({
    turns: new FairTurns(() => (looks += 1), nextTurn),
    // The limit is so low that most items wait.
    batchLimits: { inFlight: 50 },
    observer: { ...noObserver, fault: count },
    eventStore: (store) => ({
      append: (append) => {
        count()
        return store.append(append)
      },
    }),
  })
  return most
}

async function post(url: string, key: string, body: unknown): Promise<number> {
  const text = JSON.stringify(body)
  const isTracking = url.startsWith('/v1')
  const reply = await service.server.inject({
    method: 'POST',
    url,
    payload: isTracking ? gzipSync(text) : text,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
  })
  return reply.statusCode
}

const many = <T>(length: number, item: (at: number) => T) =>
  Array.from({ length }, (_, at) => item(at))
const tracked = (at: number) => ({ type: 'track', userId: `u${String(at)}`, event: 'e' })
const wrong = () => ({ type: 'track' })
const created = (at: number) => ({ op: 'create_entity', external_id: `e${String(at)}` })
const unknown = () => ({ op: 'no_such' })

describe('few items of a list are processed in one tick of the event loop', () => {
  test.each([
    ['invalid items of an SDK', '/v1/batch', trackKey, { batch: many(2_500, wrong) }, 400, 6],
    // Two appends each, because a missing entity is created first.
    ['valid items of an SDK', '/v1/batch', trackKey, { batch: many(300, tracked) }, 200, 12],
    ['invalid items', '/batch', writeKey, { items: many(1_000, unknown) }, 207, 6],
    ['valid items', '/batch', writeKey, { items: many(300, created) }, 200, 6],
  ])('%s', async (_what, url, key, body, status, handled) => {
    const most = serve()
    expect(await post(url, key, body)).toBe(status)
    expect(most.handled).toBeGreaterThan(0)
    expect(most.handled).toBeLessThanOrEqual(handled)
  })
})

test('a list of one key finishes before many lists of another key', async () => {
  serve()
  const done: string[] = []
  const send = async (name: string, key: string, length: number) => {
    await post('/v1/batch', key, { batch: many(length, wrong) })
    done.push(name)
  }
  const all = many(4, () => send('many', trackKey, 2_000))
  await immediate()
  await Promise.all([...all, send('other', writeKey, 20)])
  expect(done[0]).toBe('other')
})
