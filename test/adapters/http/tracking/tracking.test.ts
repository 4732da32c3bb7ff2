import { afterEach, describe, expect, jest, test } from '@jest/globals'
import { gzipSync } from 'node:zlib'
import type { TrackingOptions } from '../../../../src/adapters/http/http-options.js'
import { Refusal } from '../../../../src/application/ports/refusal.js'
import type { Append } from '../../../../src/application/recording/ports/event-store.js'
import {
  eraseKey,
  httpService,
  listeningService,
  readKey,
  StoppedClock,
  trackKey,
  writeKey,
  type HttpService,
  type ServiceParts,
} from '../../../support/http-service.js'
import { RawConnection } from '../../../support/raw-connection.js'

let service: HttpService
const serve = (parts: ServiceParts = {}) => (service = httpService(parts))
afterEach(() => {
  jest.useRealTimers()
  return service.server.close()
})

const basic = (key: string) => `Basic ${Buffer.from(`${key}:`).toString('base64')}`
const withKey = { authorization: basic(trackKey) }

async function post(path: string, body: unknown, headers: Record<string, string> = withKey) {
  const payload = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body)
  const reply = await service.server.inject({ method: 'POST', url: path, payload, headers })
  const json: unknown = reply.body === '' ? undefined : reply.json()
  return { status: reply.statusCode, headers: reply.headers, body: json }
}

const batch = (...items: readonly unknown[]) => post('/v1/batch', { batch: items })
const track = (members: object = {}) => ({ type: 'track', userId: 'u', event: 'e', ...members })
const stored = { success: true }
const facts = (id: string) =>
  service.store
    .read(`entity-${id}`)
    .map(({ type, data }) => ({ type, data: JSON.parse(data) as unknown }))
const events = (id: string) => facts(id).filter(({ type }) => type === 'EventRecorded')

/** Returns a service whose appends fail with the error that `errorOf` returns for them. */
function failing(errorOf: (append: Append) => Error | undefined): ServiceParts {
  return {
    eventStore: (store) => ({
      append: (append) => {
        const error = errorOf(append)
        return error === undefined ? store.append(append) : Promise.reject(error)
      },
    }),
  }
}

const tracking = (options: Partial<TrackingOptions>): ServiceParts => ({
  options: {
    tracking: { origins: [], context: [], isLenient: false, publicUrl: undefined, ...options },
  },
})

describe('messages of an SDK are stored', () => {
  test.each(['/v1/batch', '/v1/b', '/v1/import'])('in a batch at %s', async (path) => {
    serve()
    const reply = await post(path, {
      batch: [track(), { type: 'identify', userId: 'u', traits: { a: 1 } }],
    })
    expect(reply).toMatchObject({ status: 200, body: stored })
    expect(facts('u').map(({ type }) => type)).toEqual([
      'EntityCreated',
      'EventRecorded',
      'EntityPropertiesChanged',
    ])
  })

  test.each([
    ['identify', 'i', 'EntityCreated'],
    ['track', 't', 'e'],
    ['page', 'p', 'page'],
    ['screen', 's', 'screen'],
    ['group', 'g', 'group'],
    ['alias', 'a', 'alias'],
  ])('one at a time at /v1/%s and /v1/%s', async (long, short, name) => {
    serve()
    for (const [path, userId] of [
      [long, 'one'],
      [short, 'two'],
    ]) {
      const item = { userId, event: 'e', groupId: 'g', previousId: 'p' }
      expect(await post(`/v1/${path ?? ''}`, item)).toMatchObject({ status: 200, body: stored })
      expect(JSON.stringify(facts(userId ?? '').at(-1))).toContain(`"${name}"`)
    }
  })

  test.each<[string, Record<string, string>]>([
    ['Basic', withKey],
    ['Bearer', { authorization: `Bearer ${trackKey}` }],
    ['a key that may write', { authorization: basic(writeKey) }],
  ])('with a key as %s', async (_what, headers) => {
    serve()
    expect((await post('/v1/track', track(), headers)).status).toBe(200)
  })

  test('with the key in a text body, as browsers send it', async () => {
    serve()
    const body = JSON.stringify(track({ writeKey: trackKey }))
    expect((await post('/v1/t', body, { 'content-type': 'text/plain' })).status).toBe(200)
    expect(events('u')).toHaveLength(1)
  })

  test.each<[string, Record<string, string>]>([
    ['gzip', { 'content-encoding': 'gzip' }],
    ['gzip without a header', {}],
  ])('as %s, with any content type', async (_what, headers) => {
    serve()
    const body = gzipSync(JSON.stringify({ batch: [track()] }))
    const sent = { ...withKey, 'content-type': 'nonsense', ...headers }
    expect((await post('/v1/batch', body, sent)).status).toBe(200)
  })

  test('in several gzip members, whose stated length is too small', async () => {
    serve()
    const text = JSON.stringify({ batch: [track({ properties: { a: 'x'.repeat(5_000) } })] })
    const parts = [text.slice(0, -10), text.slice(-10)].map((part) => gzipSync(part))
    expect((await post('/v1/batch', Buffer.concat(parts))).status).toBe(200)
  })

  test('a telemetry request is accepted and not stored', async () => {
    serve()
    expect(await post('/v1/m', '{"series":[]}', {})).toMatchObject({ status: 200, body: stored })
  })

  test("at the device's time, corrected by sentAt", async () => {
    serve({ clock: new StoppedClock('2026-11-20T09:30:00.000Z') })
    const timestamp = '1970-01-01T00:00:10.000Z'
    const body = { batch: [track({ timestamp })], sentAt: '1970-01-01T00:01:00.000Z' }
    await post('/v1/batch', body)
    expect(events('u')).toMatchObject([{ data: { occurredAt: '2026-11-20T09:29:10.000Z' } }])
  })

  test('without revealing stored data to the client', async () => {
    serve()
    const { headers } = await batch(track({ messageId: 'm' }))
    const again = await batch(track({ messageId: 'm' }))
    for (const name of ['position', 'location', 'idempotency-replayed']) {
      expect(headers).not.toHaveProperty(name)
      expect(again.headers).not.toHaveProperty(name)
    }
  })
})

describe('a repeated message', () => {
  test('is stored once, whatever its times and its context', async () => {
    serve()
    const first = track({ messageId: 'm', timestamp: '2026-01-01', context: { page: 1 } })
    const again = track({ messageId: 'm', timestamp: '2026-02-02', context: { library: 2 } })
    const bare = track({ messageId: 'm' })
    for (const item of [first, again, bare]) expect((await batch(item)).status).toBe(200)
    expect(events('u')).toMatchObject([{ data: { occurredAt: '2026-01-01T00:00:00.000Z' } }])
  })

  test('with other properties is refused, in a message that reveals nothing', async () => {
    serve()
    await batch(track({ messageId: 'm' }))
    const other = await batch(track({ messageId: 'm', properties: { a: 1 } }))
    expect(other).toMatchObject({
      status: 400,
      body: { errors: [{ index: 0, message_id: 'm', path: '', code: 'conflict' }] },
    })
  })

  test('uses another idempotency key than /events', async () => {
    serve()
    await batch(track({ messageId: 'm' }))
    const reply = await service.server.inject({
      method: 'POST',
      url: '/events',
      headers: { authorization: `Bearer ${writeKey}`, 'idempotency-key': 'm' },
      payload: { entity_external_id: 'u', name: 'other' },
    })
    expect(reply.statusCode).toBe(201)
    expect(events('u')).toHaveLength(2)
  })

  test.each(['track', 'identify', 'group'])(
    'of %s is found under the anonymous entity',
    async (type) => {
      serve()
      const item = {
        type,
        anonymousId: 'a',
        messageId: 'm',
        event: 'e',
        groupId: 'g',
        traits: { x: 1 },
      }
      await batch(item)
      const before = facts('anon:a').length
      const retry = { ...withKey, 'x-retry-count': '1' }
      const reply = await post('/v1/batch', { batch: [{ ...item, userId: 'u' }] }, retry)
      expect(reply.status).toBe(200)
      expect(facts('anon:a')).toHaveLength(before)
      expect(facts('u')).toEqual([])
      await post('/v1/batch', { batch: [{ ...item, userId: 'u' }] })
      expect(facts('u').length).toBeGreaterThan(0)
    },
  )
})

describe('an item that can never be stored', () => {
  test('is reported with its index and id, and the others are stored', async () => {
    serve()
    const reply = await batch(track(), 'text', track({ messageId: 'm', properties: { a: 1e300 } }))
    expect(reply).toMatchObject({
      status: 400,
      body: {
        success: false,
        code: 'validation_failed',
        message: expect.any(String) as unknown,
        error: expect.any(String) as unknown,
        errors: [
          { index: 1, message_id: null, path: '', code: 'wrong_type' },
          { index: 2, message_id: 'm', path: '/properties/a', code: 'number_out_of_range' },
        ],
        request_id: expect.any(String) as unknown,
      },
    })
    expect(events('u')).toHaveLength(1)
  })

  test('gets 200 in lenient mode, and is counted', async () => {
    const counted: string[] = []
    serve({
      ...tracking({ isLenient: true }),
      trackingObserver: {
        item: (type, outcome) => counted.push(`${type} ${outcome}`),
        replacedTime: (reason) => counted.push(reason),
      },
    })
    const late = track({ timestamp: '2100-01-01' })
    expect(await batch('x', late, track({ timestamp: 'x' }))).toMatchObject({ status: 200 })
    expect(counted).toEqual([
      'none refused',
      'after_receipt',
      'track stored',
      'not_a_time',
      'track stored',
    ])
  })

  test.each<[string, Error, string]>([
    ['a fact that is too large', new Refusal('append_too_large', 'x'), 'too_long'],
  ])('%s', async (_what, error, code) => {
    serve(failing(() => error))
    expect(await batch(track())).toMatchObject({ status: 400, body: { errors: [{ code }] } })
  })

  test('an item above 1 MiB does not affect the others', async () => {
    serve()
    const large = track({ properties: { a: 'x'.repeat(1_048_576) } })
    expect(await batch(large, track())).toMatchObject({
      status: 400,
      body: { errors: [{ index: 0, code: 'too_long' }] },
    })
    expect(events('u')).toHaveLength(1)
  })
})

describe('an item of an erased entity', () => {
  const erase = async (id: string, ids: object = { userId: id }) => {
    await batch({ type: 'track', event: 'e', ...ids }, track())
    const reply = await service.server.inject({
      method: 'POST',
      url: '/erasures',
      headers: { authorization: `Bearer ${eraseKey}` },
      payload: { external_id: id },
    })
    expect(reply.statusCode).toBe(202)
  }
  const kinds = [
    track({ userId: 'ada', messageId: 'm' }),
    { type: 'identify', userId: 'ada', traits: { a: 1 } },
    { type: 'page', userId: 'ada' },
    { type: 'group', userId: 'ada', groupId: 'g' },
    { type: 'alias', userId: 'ada', previousId: 'old' },
  ]

  test('is dropped, counted and listed for a key that can only track, which sees a 200', async () => {
    const counted: string[] = []
    const item = (type: string, outcome: string) => counted.push(`${type} ${outcome}`)
    serve({ trackingObserver: { item, replacedTime: () => undefined } })
    await erase('ada')
    counted.length = 0
    for (const sent of kinds) {
      const other = await batch({ ...sent, userId: 'somebody' })
      const reply = await batch(sent)
      expect([reply.status, reply.body]).toEqual([other.status, other.body])
      expect(Object.keys(reply.headers)).toEqual(Object.keys(other.headers))
      expect(await batch(sent, track({ userId: 'new' }))).toMatchObject({ status: 200 })
    }
    expect(counted.filter((one) => one.endsWith('dropped'))).toHaveLength(2 * kinds.length)
    expect(events('new')).toHaveLength(kinds.length)
    const refusals = await service.server.inject({
      url: '/refusals',
      headers: { authorization: `Bearer ${readKey}` },
    })
    const listed = { key: 'tracker', code: 'entity_erased', details: [{ path: '/batch/0' }] }
    const items = Array.from({ length: 2 * kinds.length }, () => listed)
    expect(refusals.json()).toMatchObject({ data: { items } })
  })

  test('does not hide other faults of its request', async () => {
    serve()
    await erase('ada')
    expect(await batch(track({ userId: 'ada' }), 'text')).toMatchObject({
      status: 400,
      body: { errors: [{ index: 1 }] },
    })
  })

  test('has its own error for a key that can write', async () => {
    serve()
    await erase('ada')
    const headers = { authorization: basic(writeKey) }
    for (const sent of kinds) {
      expect(await post('/v1/batch', { batch: [sent] }, headers)).toMatchObject({
        status: 400,
        body: { errors: [{ index: 0, code: 'conflict' }] },
      })
    }
  })

  test.each<[string, string, number]>([
    ['track', trackKey, 200],
    ['write', writeKey, 400],
  ])(
    'whose stream was tombstoned has the same outcome with the scope %s',
    async (_scope, key, status) => {
      serve(failing(() => new Refusal('stream_removed', 'x')))
      const reply = await post('/v1/batch', { batch: [track()] }, { authorization: basic(key) })
      expect(reply.status).toBe(status)
    },
  )

  test.each(['track', 'identify', 'group'])(
    'does not prevent a repeated %s of a user whose anonymous entity was erased',
    async (type) => {
      serve()
      await erase('anon:a', { anonymousId: 'a' })
      const item = {
        type,
        userId: 'u2',
        anonymousId: 'a',
        messageId: 'm',
        event: 'e',
        groupId: 'g',
      }
      const retry = { ...withKey, 'x-retry-count': '1' }
      expect((await post('/v1/batch', { batch: [item] }, retry)).status).toBe(200)
      expect(facts('u2').length).toBeGreaterThan(0)
    },
  )
})

test('traits of nearly 1 MiB do not reveal whether an entity exists', async () => {
  serve()
  const identify = (userId: string, length: number) =>
    post('/v1/identify', { userId, traits: { a: 'x'.repeat(length) } })
  await identify('there', 0)
  const [created] = service.store.read('entity-there')
  const longest = 1_048_576 - (created?.data.length ?? 0)
  for (const [at, length] of [longest + 1, longest, longest - 3, longest - 4].entries()) {
    const there = await identify('there', length)
    const nobody = await identify(`new-${String(at)}`, length)
    expect([length, nobody.status]).toEqual([length, there.status])
  }
})

test('a batch context with a member "__proto__" is not stored', async () => {
  serve(tracking({ context: ['page'] }))
  const body = `{"context":{"page":{"__proto__":1}},"batch":[${JSON.stringify(track())}]}`
  expect((await post('/v1/batch', body)).status).toBe(200)
  expect(events('u')).toMatchObject([{ data: { properties: {} } }])
  expect(
    service.store
      .read('entity-u')
      .map(({ data }) => data)
      .join(),
  ).not.toContain('__proto__')
})

describe('an item that can be stored later', () => {
  test.each<[number, string, Error]>([
    [503, 'store_unavailable', new Refusal('store_unavailable', 'x')],
    [504, 'outcome_unknown', new Refusal('outcome_unknown', 'x')],
    [504, 'outcome_unknown', new TypeError('x')],
  ])('makes the whole request %d %s', async (status, code, error) => {
    serve(failing(({ stream }) => (stream === 'entity-bad' ? error : undefined)))
    const bad = track({ userId: 'bad', messageId: 'm' })
    const reply = await batch(bad, track({ messageId: 'n' }), 'text')
    expect(reply).toMatchObject({ status, body: { success: false, code } })
    expect(Number(reply.headers['retry-after'])).toBeLessThanOrEqual(5)
    expect(events('u')).toHaveLength(1)
  })

  test('delays items without a message id, and warns about duplicates', async () => {
    serve(
      failing(({ stream }) =>
        stream === 'entity-bad' ? new Refusal('store_unavailable', 'x') : undefined,
      ),
    )
    const reply = await batch(track(), track({ userId: 'bad', messageId: 'm' }))
    expect(reply.status).toBe(503)
    expect(reply.body).toMatchObject({
      message: expect.stringContaining('without a messageId') as unknown,
    })
    expect(events('u')).toEqual([])
  })

  test('a silent store is answered within 7 seconds, whatever its timeout', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] })
    const appending = new Promise<void>((begin) => {
      const append = () => {
        begin()
        return new Promise<never>(() => undefined)
      }
      serve({ eventStore: () => ({ append }), batchLimits: { timeoutMs: 60_000 } })
    })
    const reply = batch(track({ messageId: 'm' }))
    await appending
    jest.advanceTimersByTime(7_000)
    expect(await reply).toMatchObject({ status: 504, body: { code: 'outcome_unknown' } })
  })

  test('a key above its rate limit waits for its turn', async () => {
    let asked = 0
    const limit = { take: () => Promise.resolve((asked += 1) === 1 ? 0.05 : undefined) }
    serve({ rateLimit: limit })
    expect((await batch(track())).status).toBe(200)
    expect(asked).toBe(2)
  })

  test('a longer debt gets 429 with a Retry-After of 5 seconds', async () => {
    serve({ rateLimit: { take: () => Promise.resolve(60) } })
    const reply = await batch(track())
    expect(reply).toMatchObject({ status: 429, body: { success: false, code: 'rate_limited' } })
    expect(reply.headers['retry-after']).toBe('5')
  })
})

describe('a request is refused as a whole', () => {
  test.each<[string, number, string, unknown, Record<string, string>]>([
    ['a key that only reads', 403, 'forbidden', {}, { authorization: basic(readKey) }],
    ['an unknown key', 401, 'unauthenticated', {}, { authorization: basic('nobody') }],
    [
      'another scheme',
      401,
      'unauthenticated',
      { writeKey: trackKey },
      { authorization: 'Digest x' },
    ],
    ['no key', 401, 'unauthenticated', {}, {}],
    ['a key that is not text', 401, 'unauthenticated', { writeKey: 1 }, {}],
    ['no JSON', 400, 'malformed_json', '{', withKey],
    ['nothing', 400, 'malformed_json', '', withKey],
    ['no UTF-8', 400, 'malformed_json', Buffer.from([0x22, 0xff, 0x22]), withKey],
    ['incomplete gzip', 400, 'malformed_json', gzipSync('{}').subarray(0, 19), withKey],
    ['a body that is not a batch', 400, 'validation_failed', {}, withKey],
    ['an empty batch', 400, 'validation_failed', { batch: [] }, withKey],
    ['2,501 items', 413, 'body_too_large', { batch: Array(2_501).fill(0) }, withKey],
    ['over 4 MiB', 413, 'body_too_large', Buffer.alloc(4_194_305, 0x20), withKey],
    ['over 512 KiB without a key', 413, 'body_too_large', Buffer.alloc(524_289, 0x20), {}],
    ['a gzip bomb', 413, 'body_too_large', gzipSync(Buffer.alloc(12_000_000, 0x20)), withKey],
    ['a gzip bomb without a key', 413, 'body_too_large', gzipSync(Buffer.alloc(600_000, 0x20)), {}],
  ])('%s: %d %s', async (_what, status, code, body, headers) => {
    serve(tracking({ origins: '*' }))
    const reply = await post('/v1/batch', body, headers)
    expect(reply).toMatchObject({ status, body: { success: false, code, errors: [] } })
    expect(reply.headers).toMatchObject({ 'access-control-allow-origin': '*', vary: 'Origin' })
  })

  test('for a gzip bomb with a false length', async () => {
    serve()
    const bomb = gzipSync(Buffer.alloc(12_000_000, 0x20))
    bomb.writeUInt32LE(10, bomb.length - 4)
    expect((await post('/v1/batch', bomb)).status).toBe(413)
  })

  test.each(['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE'] as const)(
    '%s is not a call of the protocol',
    async (method) => {
      serve()
      for (const url of ['/v1/track', '/v1/b', '/v1/m', '/v1/nothing', '/v1/', '/v1/track/']) {
        const { statusCode } = await service.server.inject({ method, url })
        expect(statusCode).toBeGreaterThanOrEqual(404)
      }
    },
  )

  test('a path outside the protocol is not found', async () => {
    serve()
    for (const path of ['/v1/nothing', '/v1/', '/v1/track/x', '/v1/constructor']) {
      expect(await post(path, {})).toMatchObject({ status: 404, body: { success: false } })
    }
  })
})

test('a tracking key can neither read nor write elsewhere', async () => {
  serve()
  const headers = { authorization: `Bearer ${trackKey}` }
  for (const [method, url] of [
    ['GET', '/entities'],
    ['GET', '/entities/u'],
    ['GET', '/facts'],
    ['POST', '/entities'],
    ['POST', '/events'],
    ['POST', '/batch'],
    ['PUT', '/segments/s'],
  ] as const) {
    const payload = method === 'GET' ? undefined : {}
    const { statusCode } = await service.server.inject({
      method,
      url,
      headers,
      ...(payload && { payload }),
    })
    expect([url, statusCode]).toEqual([url, 403])
  }
})

describe('browsers', () => {
  const preflight = (origin: string) =>
    service.server.inject({ method: 'OPTIONS', url: '/v1/t', headers: { origin } })

  test('of the listed origins can call, and send retries', async () => {
    serve(tracking({ origins: ['https://shop.example'] }))
    const { statusCode, headers } = await preflight('https://shop.example')
    expect(statusCode).toBe(204)
    expect(headers).toMatchObject({
      'access-control-allow-origin': 'https://shop.example',
      'access-control-allow-headers': 'authorization, content-type, x-retry-count',
      'access-control-expose-headers': 'Retry-After',
      vary: 'Origin',
    })
    expect((await preflight('https://other.example')).headers).not.toHaveProperty(
      'access-control-allow-origin',
    )
  })

  test('cannot read replies when no origin is listed', async () => {
    serve()
    expect((await preflight('https://shop.example')).headers).not.toHaveProperty(
      'access-control-allow-origin',
    )
  })

  test.each<[string | undefined, string, string]>([
    [undefined, 'dossier.example:81/v1', 'http'],
    ['https://cdp.example', 'cdp.example/v1', 'https'],
    ['https://example.com:8443/cdp/', 'example.com:8443/cdp/v1', 'https'],
  ])('find the address in the settings: %s', async (publicUrl, apiHost, protocol) => {
    serve({ ...tracking({ publicUrl }), ...failing(() => new Refusal('store_unavailable', 'x')) })
    const url = `/v1/projects/${trackKey}/settings`
    const reply = await service.server.inject({ url, headers: { host: 'dossier.example:81' } })
    expect(reply.json()).toMatchObject({
      integrations: { 'Segment.io': { apiKey: trackKey, apiHost, protocol } },
      metrics: { sampleRate: 0 },
    })
  })

  test.each(['nobody', readKey])('get no settings for the key %s', async (key) => {
    serve(tracking({ origins: '*' }))
    const reply = await service.server.inject({ url: `/v1/projects/${key}/settings` })
    expect(reply.statusCode).toBe(404)
    expect(reply.headers).toMatchObject({ 'access-control-allow-origin': '*' })
  })
})

describe('time', () => {
  test('a slow body ends its connection without a reply', async () => {
    const listening = await listeningService()
    service = listening
    const connection = await RawConnection.open(listening.port)
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'performance'] })
    try {
      const head = `POST /v1/track HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${trackKey}\r\ncontent-length: 9\r\n\r\n{`
      const arrived = new Promise((resolve) => {
        listening.server.server.once('request', resolve)
      })
      connection.send(head)
      await arrived
      await jest.advanceTimersByTimeAsync(10_000)
    } finally {
      jest.useRealTimers()
    }
    expect(await connection.hungUp()).toBe('')
  })
})
