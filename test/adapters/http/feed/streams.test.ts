import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { defaultTimeouts } from '../../../../src/adapters/http/http-options.js'
import type { KeyRing } from '../../../../src/adapters/http/ports/key-ring.js'
import { EventStream, isFact, isPlace, type StreamOptions } from '../../../support/event-stream.js'
import { shownFault } from '../../../support/fault-expectation.js'
import { addEntity, addEvents } from '../../../support/feed-facts.js'
import { quickOrThorough } from '../../../support/thoroughness.js'
import { keyRing as defaultKeyRing, listeningService } from '../../../support/http-service.js'
import { ManualTimers } from '../../../support/manual-timers.js'

let timers: ManualTimers
let revoked: Set<string>
let service: Awaited<ReturnType<typeof listeningService>>
const opened: EventStream[] = []

const keyRing: KeyRing = {
  holderOf: (key) => {
    if (revoked.has(key)) return undefined
    if (key.startsWith('many-')) return { id: key, name: key, scopes: ['read'] }
    return defaultKeyRing.holderOf(key)
  },
}

beforeEach(async () => {
  timers = new ManualTimers()
  revoked = new Set()
  service = await listeningService({ keyRing, streamTimers: timers })
})
afterEach(async () => {
  for (const stream of opened.splice(0)) stream.cut()
  await service.server.close()
})

async function open(options: StreamOptions = {}): Promise<EventStream> {
  const stream = await EventStream.open(service.port, options)
  opened.push(stream)
  return stream
}

async function refusal(options: StreamOptions, status: number) {
  const stream = await open(options)
  const body = await stream.body()
  expect([stream.status, stream.headers['content-type']]).toEqual([
    status,
    'application/json; charset=utf-8',
  ])
  return { ...shownFault(body), headers: stream.headers }
}

/** Returns the cursor of the fact at this index of the log. A negative index counts from the end. */
function cursor(at: number): string {
  const fact = service.logged.facts.at(at)
  return `${String(fact?.position)}.${fact?.id.slice(0, 8) ?? ''}`
}

const positions = (frames: readonly { readonly id?: string }[]) =>
  frames.map(({ id }) => Number(id?.split('.')[0]))

const ofLog = () => service.logged.facts.map(({ position }) => position)

/** Resolves when the first open connection is closed. */
async function closing(): Promise<void> {
  const [socket] = service.sockets
  if (socket === undefined) throw new Error('there is no connection')
  await once(socket, 'close')
}

/** Resolves when the socket of a reply accepts no more data. */
async function blocked(response: ServerResponse): Promise<void> {
  while (!response.writableNeedDrain) await new Promise(setImmediate)
}

/** Returns the server's objects for the next request. */
async function nextExchange(): Promise<[IncomingMessage, ServerResponse]> {
  return (await once(service.server.server, 'request')) as [IncomingMessage, ServerResponse]
}

describe('a stream', () => {
  test('has a frame for each fact, reports once that it is live, and continues', async () => {
    addEntity(service.logged, 'ada')
    addEvents(service.logged, 'ada', 1, { text: 'a\nb\r🦊\u2028' })
    const stream = await open()
    expect(stream.status).toBe(200)
    expect(stream.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      position: '6',
      'request-id': expect.any(String),
    })
    const frames = await stream.live()
    expect(frames).toEqual([
      { id: cursor(0), event: 'EntityCreated', data: expect.any(String) },
      { id: cursor(1), event: 'EventRecorded', data: expect.any(String) },
      { id: cursor(1), event: 'live', data: '{}' },
    ])
    expect(JSON.parse(frames[1]?.data ?? '')).toEqual({
      position: '6',
      id: service.logged.facts[1]?.id,
      type: 'EventRecorded',
      stream: 'entity-ada',
      data: {
        entity_external_id: 'ada',
        name: 'login',
        properties: { text: 'a\nb\r🦊\u2028' },
        recorded_at: '2026-11-20T09:30:00.000Z',
      },
      request_id: 'test',
    })
    addEvents(service.logged, 'ada', 3)
    expect(positions(await stream.facts(3))).toEqual([9, 12, 15])
    expect(stream.frames).toEqual([])
  })

  test('of an empty store is live immediately, and delivers all later facts', async () => {
    const stream = await open()
    expect(await stream.live()).toEqual([{ id: 'start', event: 'live', data: '{}' }])
    addEntity(service.logged, 'ada')
    expect(positions(await stream.facts(1))).toEqual([3])
  })

  test('starts at the given position', async () => {
    addEntity(service.logged, 'ada')
    addEvents(service.logged, 'ada', 3)
    for (const [after, expected] of [
      ['start', [3, 6, 9, 12]],
      ['now', []],
      ['6', [9, 12]],
      [cursor(2), [12]],
      [cursor(3), []],
    ] as const) {
      const stream = await open({ path: `/facts?after=${after}` })
      const frames = await stream.live()
      expect([after, positions(frames.filter(isFact))]).toEqual([after, expected])
      expect(frames.at(-1)?.id).toBe(cursor(3))
    }
  })

  test('resumes after the last received frame, whatever its URL says', async () => {
    addEvents(service.logged, 'ada', 3)
    const stream = await open({ path: '/facts?after=start', lastEventId: cursor(1) })
    expect(positions((await stream.live()).filter(isFact))).toEqual([9])
    const fromStart = await open({ path: '/facts?after=now', lastEventId: 'start' })
    expect(positions((await fromStart.live()).filter(isFact))).toEqual([3, 6, 9])
    const empty = await open({ path: '/facts?after=now', lastEventId: '' })
    expect((await empty.live()).filter(isFact)).toEqual([])
  })

  test('delivers the facts that pass its filter, before and after it is live', async () => {
    addEntity(service.logged, 'ada')
    addEvents(service.logged, 'ada', 1)
    addEntity(service.logged, 'eve')
    const created = await open({ path: '/facts?types=EntityCreated' })
    const ofEve = await open({ path: '/facts?entity=eve' })
    expect(positions((await created.live()).filter(isFact))).toEqual([3, 9])
    expect(positions((await ofEve.live()).filter(isFact))).toEqual([9])
    addEvents(service.logged, 'eve', 1)
    addEntity(service.logged, 'bob')
    expect(positions(await created.facts(1))).toEqual([15])
    expect(positions(await ofEve.facts(1))).toEqual([12])
  })

  test('also delivers facts that are stored while it reads earlier ones', async () => {
    addEvents(service.logged, 'ada', 2_500)
    const stream = await open()
    const first = await stream.facts(100)
    addEvents(service.logged, 'ada', 500)
    const rest = await stream.facts(2_900)
    expect(positions([...first, ...rest])).toEqual(ofLog())
  })
})

describe('a broken stream can be resumed', () => {
  test('after a cut at any byte, without losing or repeating a fact', async () => {
    addEvents(service.logged, 'ada', 40, { text: 'ж🦊é'.repeat(20) })
    const seen: number[] = []
    let lastEventId: string | undefined
    for (let cutAfter = 1; seen.length < 40; cutAfter = ((cutAfter * 7) % 3_001) + 300) {
      const stream = await open({ lastEventId, cutAfter })
      const frames = await stream.liveOrEnd()
      lastEventId = frames.at(-1)?.id ?? lastEventId
      seen.push(...positions(frames.filter(isFact)))
    }
    expect(seen).toEqual(ofLog())
  })

  test('after a rebuild of the read model', async () => {
    addEvents(service.logged, 'ada', 2)
    const stream = await open()
    const lastEventId = (await stream.live()).at(-1)?.id
    service.readModel.beginBuilding()
    expect(await stream.end()).toEqual([])
    const early = await refusal({ lastEventId }, 503)
    expect([early.code, early.headers['position']]).toEqual(['read_model_behind', '0'])
    service.readModel.endBuilding()
    addEvents(service.logged, 'ada', 1)
    const again = await open({ lastEventId })
    expect(positions(await again.facts(1))).toEqual([9])
  })
})

describe('a stream is refused before its first byte', () => {
  beforeEach(() => {
    addEvents(service.logged, 'ada', 2)
  })

  test.each([
    ['a cursor of another store', { path: '/facts?after=3.00000000' }, 412, 'position_unknown'],
    ['a last frame of another store', { lastEventId: '6.00000000' }, 412, 'position_unknown'],
    ['a last frame beyond the end', { lastEventId: '9.00000000' }, 412, 'position_unknown'],
    ['a malformed cursor', { path: '/facts?after=x' }, 400, 'malformed_request'],
    ['a malformed last frame', { lastEventId: 'x' }, 400, 'malformed_request'],
    ['a limit', { path: '/facts?limit=1' }, 400, 'malformed_request'],
    ['an unknown type', { path: '/facts?types=X' }, 400, 'malformed_request'],
    ['no key', { key: 'unknown' }, 401, 'unauthenticated'],
  ] as [string, StreamOptions, number, string][])('%s', async (_what, options, status, code) => {
    const fault = await refusal(options, status)
    expect(fault.code).toBe(code)
    if (status !== 401) expect(fault.headers['position']).toBe('6')
    expect(service.readModel.watchers).toBe(0)
  })
})

describe('the progress of a stream', () => {
  test('is reported every 15 seconds', async () => {
    addEvents(service.logged, 'ada', 1)
    const stream = await open({ path: '/facts?types=EntityCreated' })
    const all = await open()
    await Promise.all([stream.live(), all.live()])
    timers.pass(14_999)
    timers.pass(1)
    expect(await stream.until(isPlace)).toEqual([{ id: cursor(0) }])
    addEvents(service.logged, 'ada', 1)
    await all.facts(1)
    timers.pass(15_000)
    expect(await stream.until(isPlace)).toEqual([{ id: cursor(1) }])
    timers.pass(15_000)
    expect(await stream.until(isPlace)).toEqual([{ id: cursor(1) }])
  })

  test('is reported after every 1,000 filtered facts, before and after it is live', async () => {
    addEvents(service.logged, 'ada', 2_500)
    addEntity(service.logged, 'bob')
    const stream = await open({ path: '/facts?types=EntityCreated' })
    const before = await stream.live()
    expect(positions(before.filter(isFact))).toEqual([3, 7_503])
    const seen = positions(before)
    for (const [at, position] of seen.entries()) {
      expect(position - (seen[at - 1] ?? 0)).toBeLessThanOrEqual(3_000)
    }
    addEvents(service.logged, 'ada', 2_000)
    addEntity(service.logged, 'eve')
    const after = await stream.until(isFact)
    expect(after.filter(isPlace).length).toBeGreaterThanOrEqual(2)
  })

  test('is a cursor from which reading can continue', async () => {
    addEvents(service.logged, 'ada', 1_500)
    const stream = await open({ path: '/facts?types=EntityCreated' })
    const places = (await stream.until(isPlace)).slice(-1)
    const again = await open({ lastEventId: places[0]?.id })
    const rest = ofLog().filter((position) => position > Number(positions(places)))
    expect(positions(await again.facts(rest.length))).toEqual(rest)
  })

  test('equals a bare start position that is beyond the last fact', async () => {
    const stream = await open({ path: '/facts?after=5' })
    expect(await stream.live()).toEqual([{ id: '5', event: 'live', data: '{}' }])
    addEvents(service.logged, 'ada', 2)
    expect(positions(await stream.facts(1))).toEqual([6])
  })
})

describe('a stream is ended', () => {
  test.each([
    [0, 600_000],
    [0.5, 750_000],
    [0.999, 900_000],
  ])(
    'after 10 to 15 minutes: for the random number %d after %d ms',
    async (chance, milliseconds) => {
      timers.chance = chance
      const stream = await open()
      await stream.live()
      timers.pass(milliseconds - 500)
      timers.pass(500)
      const frames = await stream.end()
      expect(frames.every(isPlace)).toBe(true)
      expect(timers.running).toBe(0)
      expect(service.readModel.watchers).toBe(0)
      // The connection can be used again.
      const again = await open({ lastEventId: 'start' })
      expect(again.status).toBe(200)
    },
  )

  test('not before that time', async () => {
    const stream = await open()
    await stream.live()
    timers.pass(599_500)
    addEvents(service.logged, 'ada', 1)
    expect(await stream.facts(1)).toHaveLength(1)
  })

  test('within two seconds after its key is revoked, while other streams continue', async () => {
    const stream = await open({ key: 'many-1' })
    const other = await open({ key: 'many-2' })
    await Promise.all([stream.live(), other.live()])
    revoked.add('many-1')
    timers.pass(500)
    expect(await stream.end()).toEqual([])
    expect(stream.isWhole).toBe(true)
    addEvents(service.logged, 'ada', 1)
    expect(await other.facts(1)).toHaveLength(1)
    expect((await refusal({ key: 'many-1' }, 401)).code).toBe('unauthenticated')
  })

  test('even if its reader receives nothing', async () => {
    const exchange = nextExchange()
    const stream = await open({ key: 'many-1' })
    const [, response] = await exchange
    await stream.live()
    stream.stopReading()
    addEvents(service.logged, 'ada', 200, { text: 'x'.repeat(100_000) })
    await blocked(response)
    revoked.add('many-1')
    const closed = closing()
    timers.pass(1_000)
    await closed
    expect(service.readModel.watchers).toBe(0)
  })

  test('immediately when the service stops, which does not wait for it', async () => {
    const exchange = nextExchange()
    const first = await open()
    const [, response] = await exchange
    const streams = [first, await open(), await open()]
    for (const stream of streams) await stream.live()
    first.stopReading()
    addEvents(service.logged, 'ada', 200, { text: 'x'.repeat(100_000) })
    await blocked(response)
    for (const stream of streams.slice(1)) await stream.facts(200)
    expect(service.lifecycle.unanswered).toBe(0)
    await service.lifecycle.close(service.server)
    first.readOn()
    for (const stream of streams) await stream.end()
    expect(streams.map((stream) => stream.isWhole)).toEqual([false, true, true])
    expect([timers.running, service.readModel.watchers]).toEqual([0, 0])
    expect(service.log.lines).toEqual([])
  })

  test('when its client disconnects, and nothing remains of it', async () => {
    const stream = await open()
    await stream.live()
    const closed = closing()
    stream.cut()
    await closed
    expect([timers.running, service.readModel.watchers]).toEqual([0, 0])
    expect(service.log.lines).toEqual([])
  })

  test('after an internal error, which is logged', async () => {
    const stream = await open()
    await stream.live()
    service.readModel.query = () => Promise.reject(new TypeError('x'))
    addEvents(service.logged, 'ada', 1)
    await stream.end()
    expect(service.log.lines).toMatchObject([{ level: 'error', message: 'a stream failed' }])
  })
})

describe('a slow reader', () => {
  test('is not dropped, and uses at most 256 KiB of memory', async () => {
    let piped: Promise<unknown[]> | undefined
    service.server.server.once('request', (_request, reply: ServerResponse) => {
      piped = once(reply, 'pipe')
    })
    const exchange = nextExchange()
    const stream = await open()
    const [request, response] = await exchange
    const [source] = (await piped) as [Readable]
    await stream.live()
    stream.stopReading()
    const text = 'x'.repeat(200_000)
    addEvents(service.logged, 'ada', 150, { text })
    await blocked(response)
    timers.pass(300_000)
    for (let turn = 0; turn < 100; turn += 1) await new Promise(setImmediate)
    // The length of the reply includes the length of the socket's buffer.
    expect(source.readableLength + response.writableLength).toBeLessThanOrEqual(262_144)
    expect(request.socket.timeout).toBe(0)
    stream.readOn()
    expect(positions(await stream.facts(150))).toEqual(ofLog())
  })

  test('can reuse its connection', async () => {
    const exchange = nextExchange()
    const stream = await open({ key: 'many-1' })
    const [request] = await exchange
    await stream.live()
    expect(request.socket.timeout).toBe(0)
    revoked.add('many-1')
    timers.pass(500)
    expect(request.socket.timeout).toBe(defaultTimeouts.silenceMs)
    await stream.end()
  })
})

describe('a key can have at most 20 streams', () => {
  test('and can open another one when one has ended', async () => {
    const streams = await Promise.all(Array.from({ length: 20 }, () => open()))
    for (const stream of streams) await stream.live()
    const fault = await refusal({}, 429)
    expect(fault.code).toBe('rate_limited')
    expect(Number(fault.headers['retry-after'])).toBeGreaterThan(0)
    expect(fault.message).not.toContain('stored')
    expect((await open({ key: 'many-1' })).status).toBe(200)
    const closed = closing()
    for (const stream of streams) stream.cut()
    await closed
    const again = await open()
    expect(again.status).toBe(200)
  })

  test('and refused streams do not count', async () => {
    for (let at = 0; at < 25; at += 1) await refusal({ lastEventId: '9.00000000' }, 412)
    expect((await open()).status).toBe(200)
  })
})

test('many streams share one read of new facts', async () => {
  const readers = quickOrThorough({ quick: 30, thorough: 1_000 })
  addEvents(service.logged, 'ada', 10)
  const streams: EventStream[] = []
  for (let at = 0; at < readers; at += 1) {
    streams.push(await open({ key: `many-${String(at % 60)}`, path: '/facts?after=now' }))
  }
  for (const stream of streams) await stream.live()
  const before = service.readModel.asked.length
  service.readModel.hold()
  addEvents(service.logged, 'ada', 500)
  service.readModel.catchUp()
  const expected = ofLog().slice(10)
  for (const stream of streams) expect(positions(await stream.facts(500))).toEqual(expected)
  expect(service.readModel.asked.length - before).toBeLessThanOrEqual(3)
  expect([service.readModel.watchers, timers.running]).toEqual([readers, 1])
})
