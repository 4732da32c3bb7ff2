import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { expectFault, expectInvalid } from '../../../support/fault-expectation.js'
import { httpService, readKey, writeKey, type HttpService } from '../../../support/http-service.js'
import { post } from '../../../support/post.js'
import { byHand, byRule, define, move, retire, send } from '../../../support/segment-requests.js'

const ada = 'ada/ 7'

let service: HttpService
beforeEach(async () => {
  service = httpService()
  await post(service.server, '/entities', { external_id: ada })
  await define(service.server, 'testers', byHand)
})
afterEach(() => service.server.close())

const moves = [
  ['PUT', 'EntityAddedToSegment', 'add_to_segment'],
  ['DELETE', 'EntityRemovedFromSegment', 'remove_from_segment'],
] as const

describe.each(moves)('%s of a member by hand', (method, type, op) => {
  const facts = () => service.store.read(`entity-${ada}`).filter((fact) => fact.type === type)

  test('stores a fact with its reason in the stream of the entity', async () => {
    const reply = await move(service.server, method, ['testers', ada], 'asked')
    expect(reply.statusCode).toBe(200)
    expect(reply.headers['position']).toBe('3')
    const at = '2026-11-20T09:30:00.000Z'
    expect(reply.json()).toEqual({
      status: 'success',
      data: { segment: 'testers', external_id: ada, reason: 'asked', at },
    })
    expect(facts().map(({ data }) => JSON.parse(data) as unknown)).toEqual([
      { externalId: ada, segment: 'testers', reason: 'asked', at },
    ])
  })

  test('stores a fact each time, also without a body', async () => {
    const { server } = service
    const first = await move(server, method, ['testers', ada])
    const second = await move(server, method, ['testers', ada])
    expect([first.statusCode, second.statusCode]).toEqual([200, 200])
    expect(first.json()).not.toHaveProperty('data.reason')
    expect(facts()).toHaveLength(2)
  })

  test('stores one fact per idempotency key, and answers a repeat even after the segment was retired', async () => {
    const { server } = service
    const key = { 'idempotency-key': 'k' }
    const first = await move(server, method, ['testers', ada], 'x', key)
    await retire(server, 'testers')
    const again = await move(server, method, ['testers', ada], 'x', key)
    expect(again.statusCode).toBe(200)
    expect(again.json()).toEqual(first.json())
    expect(again.headers).toMatchObject({ 'idempotency-replayed': 'true', position: '3' })
    const other = await move(server, method, ['testers', ada], 'y', key)
    expectFault(other, 422, 'idempotency_key_reused')
    const fresh = await move(server, method, ['testers', ada], undefined, {
      'idempotency-key': 'l',
    })
    expectFault(fresh, 404, 'segment_not_found')
    expect(facts()).toHaveLength(1)
  })

  test('requires a segment by hand, an entity, and the scope', async () => {
    const { server } = service
    await define(server, 'all', byRule)
    const refusals = [
      [await move(server, method, ['none', ada]), 404, 'segment_not_found'],
      [await move(server, method, ['all', ada]), 409, 'segment_by_rule'],
      [await move(server, method, ['testers', 'eve']), 404, 'entity_not_found'],
    ] as const
    for (const [reply, status, code] of refusals) {
      expectFault(reply, status, code)
    }
    const headers = { authorization: `Bearer ${readKey}` }
    expectFault(await move(server, method, ['testers', ada], undefined, headers), 403, 'forbidden')
  })

  test(`works as ${op} in a batch`, async () => {
    const { server } = service
    const item = { op, segment: 'testers', external_id: ada }
    const reply = await post(server, '/batch', {
      items: [
        { ...item, reason: 'x' },
        { ...item, segment: 'none' },
        { ...item, segment: 'X', external_id: 7 },
      ],
    })
    expect(reply.statusCode).toBe(207)
    expect(reply.json()).toMatchObject({
      data: {
        results: [
          { status: 200, data: { segment: 'testers', external_id: ada, reason: 'x' } },
          { status: 404, error: { code: 'segment_not_found' } },
          {
            status: 422,
            error: {
              details: [{ path: '/segment' }, { path: '/external_id', code: 'wrong_type' }],
            },
          },
        ],
      },
    })
    expect(facts()).toHaveLength(1)
  })
})

test('PUT is refused with everything that is wrong', async () => {
  const reply = await send(service.server, {
    method: 'PUT',
    url: '/segments/Testers/members/%20x',
    key: writeKey,
    body: { reason: 'x'.repeat(256), more: 1 },
  })
  expectInvalid(
    reply,
    '/reason too_long',
    '/more unknown_field',
    '/key bad_characters',
    '/external_id bad_characters',
  )
})

test('DELETE takes its reason from the query, or from a body', async () => {
  const url = `/segments/testers/members/${encodeURIComponent(ada)}`
  const remove = (query: string, body?: unknown) =>
    send(service.server, { method: 'DELETE', url: `${url}?${query}`, key: writeKey, body })
  const reply = await remove('reason=asked%20for%20it')
  expect(reply.json()).toMatchObject({ data: { reason: 'asked for it' } })
  const long = expectFault(await remove(`reason=${'x'.repeat(256)}`), 400, 'malformed_request')
  expect(long.details).toMatchObject([{ path: '/reason', code: 'too_long' }])
  const byBody = await remove('', { reason: 'x' })
  expect(byBody.json()).toMatchObject({ data: { reason: 'x' } })
})
