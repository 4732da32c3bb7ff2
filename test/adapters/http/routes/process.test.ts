import { afterEach, describe, expect, it } from '@jest/globals'
import { z } from 'zod'
import { get } from '../../../support/get.js'
import {
  defineKey,
  httpService,
  readKey,
  writeKey,
  type HttpService,
} from '../../../support/http-service.js'
import { patch, post } from '../../../support/post.js'

const services: HttpService[] = []
afterEach(async () => {
  await Promise.all(services.splice(0).map(({ server }) => server.close()))
})

function start(parts: Parameters<typeof httpService>[0] = {}): HttpService {
  const service = httpService(parts)
  services.push(service)
  return service
}

const listed = z.object({
  data: z.object({
    items: z.array(
      z.object({
        kind: z.string(),
        route: z.string(),
        method: z.string(),
        key: z.string(),
        status: z.number(),
        code: z.string(),
        message: z.string(),
        details: z.array(z.object({ path: z.string(), code: z.string() })),
      }),
    ),
    next_cursor: z.string(),
    reset: z.boolean(),
    unauthenticated: z.number(),
  }),
})

const refusalsOf = async (service: HttpService, query = '') => {
  const { body } = await get(service.server, `/refusals${query}`)
  return { ...listed.parse(JSON.parse(body)).data, body }
}

describe('GET /key', () => {
  it('describes the key of the request, whatever its scopes', async () => {
    const { server } = start({ reads: false, options: { requestsASecond: 7 } })
    for (const [key, name, scopes] of [
      [readKey, 'reader', ['read']],
      [writeKey, 'writer', ['read', 'write']],
      [defineKey, 'definer', ['segments']],
    ] as const) {
      const reply = await get(server, '/key', { authorization: `Bearer ${key}` })
      expect(reply.json()).toMatchObject({
        data: { name, scopes, limits: { requests_a_second: 7 } },
      })
      expect(reply.headers['cache-control']).toBe('no-store')
    }
  })
})

describe('GET /refusals', () => {
  it('lists refused writes, without their values', async () => {
    const service = start()
    const { server } = service
    await post(server, '/entities', {
      external_id: 'Ada Lovelace',
      properties: { 'ada@home': NaN },
    })
    await post(server, '/entities', { external_id: '', properties: 1 })
    await post(server, '/events', { entity_external_id: 'nobody', name: 'login' })
    await patch(server, 'Ada Lovelace/2', { set: 1 })
    await get(server, '/entities/nobody')
    const { items, body } = await refusalsOf(service)
    expect(items.map(({ method, route, status, code }) => [method, route, status, code])).toEqual([
      ['POST', '/entities', 422, 'validation_failed'],
      ['POST', '/events', 404, 'entity_not_found'],
      ['PATCH', '/entities/:external_id', 422, 'validation_failed'],
    ])
    expect(items[0]?.details.map(({ path, code }) => [path, code])).toEqual([
      ['/external_id', 'empty'],
      ['/properties', 'wrong_type'],
    ])
    expect(items[1]?.message).toMatch(/^No entity has this external_id/)
    expect(body).not.toMatch(/Ada|ada@|nobody/)
  })

  it('lists refused reads where the caller asks for them, except previews and what was not found', async () => {
    const service = start()
    const { server } = service
    await post(server, '/events', { entity_external_id: 'nobody', name: 'login' })
    await get(server, '/entities/nobody')
    await get(server, '/entities/Ada?as_of=tomorrow')
    await post(server, '/segments/evaluate', { rule: {}, external_ids: [] })
    await post(server, '/segments/preview', { rule: {} })
    const of = async (query: string) =>
      (await refusalsOf(service, query)).items.map(({ kind, route, code }) => [kind, route, code])
    const written = ['write', '/events', 'entity_not_found']
    expect(await of('')).toEqual([written])
    expect(await of('?include=reads')).toEqual([
      written,
      ['read', '/entities/:external_id', 'malformed_request'],
      ['read', '/segments/evaluate', 'validation_failed'],
    ])
  })

  it('lists each refused item of a batch, with its path', async () => {
    const service = start()
    const items = [
      { op: 'create_entity', external_id: 'ada' },
      { op: 'create_entity', external_id: 'ada' },
      { op: 'record_event', entity_external_id: 'ada', name: '' },
    ]
    await post(service.server, '/batch', { items })
    const { items: refused } = await refusalsOf(service)
    expect(refused.map(({ code, details }) => [code, details])).toEqual([
      ['entity_exists', [{ path: '/items/1', code: 'entity_exists' }]],
      ['validation_failed', [{ path: '/items/2/name', code: 'empty' }]],
    ])
  })

  it('counts requests without a valid key, and does not list them', async () => {
    const service = start()
    await post(service.server, '/entities', {}, { authorization: 'Bearer wrong' })
    await get(service.server, '/entities/ada', { authorization: 'Bearer wrong' })
    expect(await refusalsOf(service)).toMatchObject({ items: [], unauthenticated: 2 })
  })

  it('continues after a page, and refuses an invalid id', async () => {
    const service = start()
    await post(service.server, '/entities', {})
    const { next_cursor: after } = await refusalsOf(service)
    await post(service.server, '/events', {})
    const next = await refusalsOf(service, `?cursor=${after}&limit=5`)
    expect(next.items.map(({ route }) => route)).toEqual(['/events'])
    const wrong = await get(service.server, '/refusals?cursor=x')
    expect([wrong.statusCode, wrong.json()]).toMatchObject([
      400,
      { error: { code: 'malformed_request' } },
    ])
  })
})

describe('GET /status', () => {
  it('reports the progress of reads, whatever the state of the store', async () => {
    const service = start({ health: { check: () => Promise.reject(new Error('away')) } })
    await post(service.server, '/entities', { external_id: 'ada' })
    const { data } = z
      .object({ data: z.record(z.string(), z.unknown()) })
      .parse((await get(service.server, '/status')).json())
    expect(data).toMatchObject({
      store_kind: 'memory',
      store: 'store_unavailable',
      reads: 'ready',
      position: '1',
      head: '1',
    })
    expect(data['lag_positions']).toBe(0)
  })

  it('reports that reads are off without a read model', async () => {
    const reply = await get(start({ reads: false }).server, '/status')
    expect(reply.json()).toMatchObject({ data: { store: 'ready', reads: 'off', position: null } })
  })
})
