import { afterEach, describe, expect, it, jest, test } from '@jest/globals'
import { Dossier, DossierError, replyOf } from '../../src/client/dossier.js'
import { pauseAfter } from '../../src/client/waiting.js'
import {
  broken,
  cutInHeaders,
  cutShort,
  fault,
  foreign,
  ScriptedService,
  silent,
  success,
} from './scripted-service.js'

const created = success(
  {
    external_id: 'ada',
    properties: {},
    created_at: '2026-11-20T09:30:00.000Z',
    recorded_at: '2026-11-20T09:30:00.000Z',
  },
  { position: '7', 'request-id': 'r-2', location: '/entities/ada' },
  201,
)

async function errorOf(call: Promise<unknown>): Promise<DossierError> {
  const reason: unknown = await call.then(
    () => undefined,
    (error: unknown) => error,
  )
  if (reason instanceof DossierError) return reason
  throw new Error(`no DossierError: ${String(reason)}`)
}

afterEach(() => {
  jest.restoreAllMocks()
})

function keysOf({ received }: ScriptedService) {
  return new Set(received.map(({ headers }) => headers['idempotency-key']))
}

describe('a write', () => {
  test.each([
    ['503', fault(503, 'store_unavailable', { 'retry-after': '0' })],
    ['429', fault(429, 'rate_limited', { 'retry-after': '0' })],
    ['504', fault(504, 'outcome_unknown')],
    ['408', fault(408, 'request_timeout')],
    ["a proxy's 502", foreign(502)],
    ['a broken connection', broken],
    ['a truncated reply', cutShort],
    ['a reply with truncated headers', cutInHeaders(201, { 'content-type': 'applicat' })],
    ['a fault with truncated headers', cutInHeaders(404)],
  ])('is retried after %s with the same key', async (_, step) => {
    const service = await ScriptedService.start(step, step, created)
    const told: string[] = []
    const onRetry = ({ code }: DossierError) => told.push(code)
    const data = await service.client({ onRetry }).entities.create('ada')
    expect(told).toHaveLength(2)
    expect(data).toMatchObject({ external_id: 'ada' })
    expect(service.received).toHaveLength(3)
    const [key] = keysOf(service)
    expect(keysOf(service).size).toBe(1)
    expect(key).toMatch(/^[0-9a-f]{32}$/)
  })

  it('has a new key in each call, or the key of the caller', async () => {
    const service = await ScriptedService.start(created)
    const { entities } = service.client()
    await entities.create('ada')
    await entities.create('bob')
    await entities.create('eve', {}, { idempotencyKey: 'mine' })
    expect(keysOf(service).size).toBe(3)
    expect(keysOf(service)).toContain('mine')
  })

  it('is retried at most as often as the caller permits', async () => {
    const service = await ScriptedService.start(fault(503, 'overloaded'))
    const error = await errorOf(service.client().entities.create('ada', {}, { maxRetries: 1 }))
    expect(error.code).toBe('overloaded')
    expect(service.received).toHaveLength(2)
  })

  it('is given up at once when Retry-After exceeds the remaining time', async () => {
    const busy = await ScriptedService.start(fault(503, 'overloaded', { 'retry-after': '60' }))
    const error = await errorOf(busy.client().entities.create('ada'))
    expect(error).toMatchObject({ code: 'overloaded', status: 503, stored: 'no' })
    expect(busy.received).toHaveLength(1)
  })

  it('fails with the last reply when the pause before a retry takes longer than the remaining time', async () => {
    const service = await ScriptedService.start(fault(503, 'overloaded'))
    const onRetry = () => {
      jest.spyOn(performance, 'now').mockReturnValue(Infinity)
    }
    const error = await errorOf(service.client({ onRetry }).entities.create('ada'))
    expect(error).toMatchObject({ code: 'overloaded', stored: 'no' })
    expect(service.received).toHaveLength(1)
  })

  test.each([
    ['400', fault(400, 'malformed_request')],
    ['401', fault(401, 'unauthenticated')],
    ['404', fault(404, 'entity_not_found')],
    ['409', fault(409, 'entity_exists')],
    ['422', fault(422, 'validation_failed')],
  ])('is not retried after %s: it is certainly not stored', async (_, step) => {
    const service = await ScriptedService.start(step, created)
    const error = await errorOf(service.client().entities.create('ada'))
    expect(error).toMatchObject({ name: 'DossierError', stored: 'no', requestId: 'r-1' })
    expect(service.received).toHaveLength(1)
  })

  test.each([
    ['500', fault(500, 'internal_error'), 'internal_error'],
    ['another 200', foreign(200, 'hello'), 'unreadable_reply'],
    ['an empty 200', foreign(200, '', { 'content-length': '0' }), 'unreadable_reply'],
  ])('may be stored after %s, and is not retried', async (_, step, code) => {
    const service = await ScriptedService.start(step, created)
    const error = await errorOf(service.client().entities.create('ada'))
    expect(error).toMatchObject({ code, stored: 'unknown' })
    expect(service.received).toHaveLength(1)
  })

  it('may be stored when an earlier attempt may be, whatever the last reply says', async () => {
    const service = await ScriptedService.start(broken, fault(403, 'forbidden'))
    const error = await errorOf(service.client().entities.create('ada'))
    expect(error).toMatchObject({ code: 'forbidden', status: 403, stored: 'unknown' })
  })

  it('may be stored when no reply arrived in time', async () => {
    const service = await ScriptedService.start(silent)
    const error = await errorOf(service.client({ timeoutMs: 60 }).entities.create('ada'))
    expect(error).toMatchObject({ code: 'no_reply', status: undefined, stored: 'unknown' })
    expect(error.message).toContain('no reply within')
  })

  it('is certainly not stored when the connection is refused', async () => {
    const service = await ScriptedService.start()
    const client = service.client()
    await service.close()
    const error = await errorOf(client.entities.create('ada', {}, { maxRetries: 0 }))
    expect(error).toMatchObject({ code: 'no_reply', stored: 'no' })
    expect(error.message).toContain('ECONNREFUSED')
  })

  it('follows no redirect', async () => {
    const elsewhere = await ScriptedService.start(created)
    const service = await ScriptedService.start(foreign(301, '', { location: elsewhere.url }))
    const error = await errorOf(service.client().entities.create('ada'))
    expect(error).toMatchObject({ code: 'unreadable_reply', status: 301, stored: 'no' })
    expect(elsewhere.received).toEqual([])
  })
})

describe('a definition', () => {
  const definition = { title: 'All', kind: 'rule', rule: { everyone: true } } as const
  const defined = success({ key: 'all', version: 1 }, { etag: '"1"', position: '3' }, 201)

  it('is retried, because sending it twice makes one version', async () => {
    const service = await ScriptedService.start(broken, defined)
    const segment = await service.client().segments.define('all', definition)
    expect(replyOf(segment)).toMatchObject({ status: 201, etag: '"1"', position: '3' })
  })

  it('with a version is not retried without a clear reply', async () => {
    const service = await ScriptedService.start(broken, fault(412, 'precondition_failed'))
    const call = service.client().segments.define('all', definition, { ifVersion: 1 })
    expect(await errorOf(call)).toMatchObject({ code: 'no_reply', stored: 'unknown' })
    expect(service.received).toHaveLength(1)
    expect(service.received[0]?.headers).toMatchObject({ 'if-match': '"1"' })
  })

  it('is retried after 503, with or without a version', async () => {
    const service = await ScriptedService.start(fault(503, 'overloaded'), defined)
    await service.client().segments.define('all', definition, { ifVersion: 'none' })
    expect(service.received[1]?.headers).toMatchObject({ 'if-none-match': '*' })
  })
})

describe('the caller', () => {
  it('can abort a call before, during and between attempts', async () => {
    const reason = new Error('enough')
    const service = await ScriptedService.start(silent)
    const stopped = AbortSignal.abort(reason)
    await expect(service.client().entities.get('ada', {}, { signal: stopped })).rejects.toBe(reason)
    expect(service.received).toEqual([])

    const underWay = new AbortController()
    const waiting = await ScriptedService.start(() => {
      underWay.abort(reason)
    })
    const call = waiting.client().entities.create('ada', {}, { signal: underWay.signal })
    await expect(call).rejects.toBe(reason)

    const between = new AbortController()
    const busy = await ScriptedService.start((response, request) => {
      void fault(503, 'overloaded', { 'retry-after': '20' })(response, request)
      response.once('close', () => {
        setImmediate(() => {
          between.abort(reason)
        })
      })
    })
    const later = busy.client().entities.get('ada', {}, { signal: between.signal })
    await expect(later).rejects.toBe(reason)
  })

  it('sets the request id and the wait of the service', async () => {
    const service = await ScriptedService.start(success({ items: [], next_cursor: null }))
    await service.client().entities.list({}, { requestId: 'mine', wait: 0 }).page()
    expect(service.received[0]?.headers).toMatchObject({ 'request-id': 'mine', prefer: 'wait=0' })
  })

  it('can use a service below a path', async () => {
    const service = await ScriptedService.start(success({ external_id: 'a/b' }))
    const dossier = new Dossier({ url: `${service.url}/crm/`, key: 'a-key' })
    await dossier.entities.get('a/b?', { as_of: '2026-11-20T09:30:00+01:00' })
    expect(service.received[0]).toMatchObject({
      path: '/crm/entities/a%2Fb%3F',
      query: { as_of: '2026-11-20T09:30:00+01:00' },
    })
  })

  it('gets the first reply about the state of the service', async () => {
    const service = await ScriptedService.start(fault(503, 'store_unavailable'))
    const error = await errorOf(service.client().service.ready())
    expect(error).toMatchObject({ status: 503, stored: 'no' })
    expect(service.received).toHaveLength(1)
  })
})

describe('the pause before a retry', () => {
  const drawn = (attempt: number, askedMs?: number) =>
    Array.from({ length: 100 }, () => pauseAfter(attempt, askedMs))

  it('doubles up to a limit, with jitter of half its length', () => {
    for (const [attempt, full] of [100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000].entries()) {
      const pauses = drawn(attempt)
      expect(Math.min(...pauses)).toBeGreaterThanOrEqual(full / 2)
      expect(Math.max(...pauses)).toBeLessThanOrEqual(full)
      expect(new Set(pauses).size).toBeGreaterThan(1)
    }
  })

  it('is at least Retry-After, with jitter after it', () => {
    const pauses = drawn(0, 2_000)
    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(2_000)
    expect(new Set(pauses).size).toBeGreaterThan(1)
  })
})
