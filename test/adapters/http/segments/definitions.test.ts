import { afterEach, describe, expect, test } from '@jest/globals'
import { expectFault, expectInvalid } from '../../../support/fault-expectation.js'
import { httpService, type HttpService, type ServiceParts } from '../../../support/http-service.js'
import { byHand, byRule, define, retire } from '../../../support/segment-requests.js'

let service: HttpService
const serve = (parts: ServiceParts = {}) => (service = httpService(parts)).server
afterEach(() => service.server.close())

/** Wraps a rule in this many levels of `not`, as many as fit into a body. */
const nested = (inner: object, levels = 900): object => {
  let outer = inner
  for (let level = 0; level < levels; level += 1) outer = { not: outer }
  return outer
}
const facts = () => service.store.read('segments').map(({ type }) => type)

describe('PUT /segments/{key}', () => {
  test('creates a segment and returns 201, the tag, the position and the segment', async () => {
    const server = serve()
    const reply = await define(server, 'all', byRule)
    expect(reply.statusCode).toBe(201)
    expect(reply.headers).toMatchObject({ etag: '"1"', position: '1' })
    expect(reply.json()).toEqual({
      status: 'success',
      data: {
        key: 'all',
        version: 1,
        ...byRule,
        status: 'building',
        serving_version: null,
        progress: 0,
        members: null,
        digest: null,
        defined_at: '2026-11-20T09:30:00.000Z',
      },
    })
  })

  test('includes the served state when the read model has applied the definition', async () => {
    const server = serve()
    service.readModel.planned.segment = ({ key }) => ({
      key,
      version: 1,
      title: 'as of the read model',
      kind: 'rule',
      rule: undefined,
      status: 'live',
      servingVersion: 1,
      progress: undefined,
      members: 3,
      digest: '0123456789abcdef',
      definedAt: '2026-01-01T00:00:00.000Z',
    })
    const reply = await define(server, 'all', byRule)
    expect(reply.json()).toMatchObject({
      data: {
        ...byRule,
        status: 'live',
        serving_version: 1,
        members: 3,
        digest: '0123456789abcdef',
      },
    })
    const changed = await define(server, 'all', { ...byRule, title: 'Another' })
    expect(changed.json()).toMatchObject({
      data: { version: 2, status: 'building', members: null },
    })
  })

  test('works without a read model', async () => {
    const server = serve({ reads: false })
    expect((await define(server, 'all', byRule)).statusCode).toBe(201)
    const evaluated = await server.inject({ method: 'POST', url: '/segments/evaluate' })
    expectFault(evaluated, 404, 'route_not_found')
    expectFault(await server.inject('/segments/all'), 404, 'route_not_found')
  })

  test('creates a version for a different definition, and stores nothing for an equal one', async () => {
    const server = serve()
    await define(server, 'all', byRule)
    const changed = await define(server, 'all', { ...byRule, rule: { not: { everyone: true } } })
    expect([changed.statusCode, changed.headers.etag]).toEqual([200, '"2"'])
    const same = await define(server, 'all', { ...byRule, rule: { not: { everyone: true } } })
    expect([same.statusCode, same.headers.etag]).toEqual([200, '"2"'])
    expect(same.headers['position']).toBe(changed.headers['position'])
    expect(facts()).toEqual(['SegmentDefined', 'SegmentDefined'])
  })

  test('respects If-None-Match and If-Match', async () => {
    const server = serve()
    const anew = { 'if-none-match': '*' }
    expect((await define(server, 'a', byRule, anew)).statusCode).toBe(201)
    const again = await define(server, 'a', byRule, anew)
    expectFault(again, 412, 'precondition_failed')
    const other = { ...byRule, title: 'Other' }
    expectFault(await define(server, 'a', other, { 'if-match': '"2"' }), 412, 'precondition_failed')
    const weak = await define(server, 'a', other, { 'if-match': 'W/"1"' })
    expectFault(weak, 412, 'precondition_failed')
    expect((await define(server, 'a', other, { 'if-match': '"x", "1"' })).statusCode).toBe(200)
    expectFault(await define(server, 'a', byRule, { 'if-match': '1' }), 400, 'malformed_request')
  })

  test('refuses another kind for a live segment', async () => {
    const server = serve()
    await define(server, 'a', byHand)
    expectFault(await define(server, 'a', byRule), 409, 'kind_differs')
    await retire(server, 'a')
    expect((await define(server, 'a', byRule)).json()).toMatchObject({ data: { version: 2 } })
  })

  test.each<[string, string, unknown, string[]]>([
    ['a body that is empty', 'a', {}, ['/title required', '/kind required']],
    ['another kind', 'a', { title: 'x', kind: 'both' }, ['/kind wrong_type']],
    ['a rule that is missing', 'a', { title: 'x', kind: 'rule' }, ['/rule required']],
    ['a rule by hand', 'a', { ...byRule, kind: 'hand' }, ['/rule conflict']],
    ['no rule at all', 'a', { ...byRule, rule: null }, ['/rule wrong_type']],
    [
      'all faults together',
      'Evaluate',
      { title: ' x', kind: 'rule', rule: { all: [{ event: '' }, { bucket: {} }] }, more: 1 },
      [
        '/title bad_characters',
        '/rule/all/0/event empty',
        '/rule/all/1/bucket/below required',
        '/more unknown_field',
        '/key bad_characters',
      ],
    ],
    [
      'a rule of 900 negations',
      'a',
      { ...byRule, rule: nested({ everyone: true }) },
      [`/rule${'/not'.repeat(8)} too_deep`],
    ],
    [
      'a test of 900 negations',
      'a',
      { ...byRule, rule: { event: 'buy', where: { '/n': nested({ eq: 1 }) } } },
      [`/rule/where/~1n${'/not'.repeat(8)} too_deep`],
    ],
    ['the reserved key', 'evaluate', byRule, ['/key bad_characters']],
    ['a long key', 'a'.repeat(65), byRule, ['/key bad_characters']],
  ])('refuses %s', async (_what, key, body, expected) => {
    expectInvalid(await define(serve(), key, body), ...expected)
    expect(facts()).toEqual([])
  })

  test('refuses a missing segment and a cycle, with their path in the rule', async () => {
    const server = serve()
    await define(server, 'a', byRule)
    await define(server, 'b', { ...byRule, rule: { segment: 'a' } })
    const rule = { any: [{ segment: 'x' }, { not: { segment: 'b' } }] }
    const reply = await define(server, 'a', { ...byRule, rule })
    expectInvalid(reply, '/rule/any/0/segment unknown_segment', '/rule/any/1/not/segment cycle')
  })

  test('accepts an Idempotency-Key, although a repeat is recognised without one', async () => {
    const server = serve()
    const key = { 'idempotency-key': 'k' }
    expect((await define(server, 'a', byRule, key)).statusCode).toBe(201)
    expect((await define(server, 'a', byRule, key)).statusCode).toBe(200)
  })
})

describe('DELETE /segments/{key}', () => {
  test('retires a segment', async () => {
    const server = serve()
    await define(server, 'a', byRule)
    const reply = await retire(server, 'a')
    expect(reply.statusCode).toBe(200)
    expect(reply.headers['position']).toBe('2')
    const data = { key: 'a', version: 1, retired_at: '2026-11-20T09:30:00.000Z' }
    expect(reply.json()).toEqual({ status: 'success', data })
    const again = await retire(server, 'a')
    expectFault(again, 404, 'segment_not_found')
  })

  test('does not retire a segment that another one refers to, or at another version', async () => {
    const server = serve()
    await define(server, 'a', byRule)
    await define(server, 'b', { ...byRule, rule: { segment: 'a' } })
    expectFault(await retire(server, 'a'), 409, 'segment_in_use')
    expectFault(await retire(server, 'b', { 'if-match': '"7"' }), 412, 'precondition_failed')
    expect(facts()).toHaveLength(2)
  })

  test('accepts no fields', async () => {
    const server = serve()
    await define(server, 'a', byRule)
    const headers = { authorization: `Bearer a-key-that-may-define-0123456789` }
    const sent = {
      method: 'DELETE',
      url: '/segments/a',
      headers,
      payload: { reason: 'x' },
    } as const
    expectFault(await server.inject(sent), 422, 'validation_failed')
  })
})
