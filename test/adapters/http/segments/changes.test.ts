import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import type { MemberChange } from '../../../../src/application/segments/ports/segment-queries.js'
import { expectFault } from '../../../support/fault-expectation.js'
import { get } from '../../../support/get.js'
import { httpService, type HttpService } from '../../../support/http-service.js'
import { post } from '../../../support/post.js'

const at = '2026-11-20T09:30:00.000Z'

let service: HttpService
beforeEach(async () => {
  service = httpService()
  await post(service.server, '/entities', { external_id: 'ada' })
})
afterEach(() => service.server.close())

const asked = () => service.readModel.asked.at(-1)

describe('GET /segments/{key}/changes', () => {
  const entered: MemberChange = {
    externalId: 'ada',
    at,
    enters: true,
    cause: { kind: 'event', factId: 'f' },
  }
  const left: MemberChange = { externalId: 'ada', at, enters: false, cause: { kind: 'time' } }

  beforeEach(() => {
    service.readModel.planned.segmentChanges = ({ key, after }) =>
      key !== 'vip'
        ? undefined
        : {
            items: after === undefined ? [left] : [entered],
            next: after === undefined ? { at: 5, position: 7 } : undefined,
          }
  })

  test('lists the entities that entered and left, with causes, page by page', async () => {
    const first = await get(service.server, '/segments/vip/changes?limit=1')
    expect(first.statusCode).toBe(200)
    expect(first.headers).toMatchObject({ position: '1', 'log-time': at })
    const { items, next_cursor } = first.json<{
      data: { items: object[]; next_cursor: string }
    }>().data
    expect(items).toEqual([{ external_id: 'ada', at, change: 'leave', cause: { kind: 'time' } }])
    const second = await get(service.server, `/segments/vip/changes?limit=1&cursor=${next_cursor}`)
    expect(second.json()).toEqual({
      status: 'success',
      data: {
        items: [
          {
            external_id: 'ada',
            at,
            change: 'enter',
            cause: { kind: 'event', fact_id: 'f' },
          },
        ],
        next_cursor: null,
      },
    })
    expect(asked()).toMatchObject({ query: { after: { at: 5, position: 7 }, limit: 1 } })
  })

  test('can be limited to a period', async () => {
    await get(
      service.server,
      '/segments/vip/changes?since=2026-11-01T00:00:00Z&until=2026-11-02T01:00:00%2B01:00',
    )
    expect(asked()).toEqual({
      name: 'segmentChanges',
      query: {
        key: 'vip',
        since: Date.UTC(2026, 10, 1),
        until: Date.UTC(2026, 10, 2),
        after: undefined,
        limit: 100,
      },
    })
  })

  test.each([
    ['/segments/nobody/changes', 404, 'segment_not_found'],
    ['/segments/No/changes', 422, 'validation_failed'],
    ['/segments/vip/changes?since=yesterday', 400, 'malformed_request'],
  ] as const)('refuses %s', async (url, status, code) => {
    expectFault(await get(service.server, url), status, code)
  })
})

describe('GET /segments/{key}/curve', () => {
  beforeEach(() => {
    service.readModel.planned.segmentCurve = ({ key }) =>
      key === 'vip' ? [{ day: '2026-11-20', members: 3 }] : undefined
  })

  test('returns the number of members at the end of each day', async () => {
    const reply = await get(service.server, '/segments/vip/curve')
    expect(reply.json()).toEqual({
      status: 'success',
      data: { items: [{ day: '2026-11-20', members: 3 }] },
    })
    expect(reply.headers).toMatchObject({ position: '1', 'log-time': at })
  })

  test('accepts days and instants', async () => {
    await get(service.server, '/segments/vip/curve?since=2026-11-01&until=2026-11-02T00:00:00Z')
    expect(asked()).toEqual({
      name: 'segmentCurve',
      query: { key: 'vip', since: Date.UTC(2026, 10, 1), until: Date.UTC(2026, 10, 2) },
    })
  })

  test.each([
    ['since=2024-02-25', 200],
    ['since=2024-02-24', 400],
    ['since=2024-02-24&until=2026-11-20', 200],
    ['since=2024-02-24&until=2099-01-01', 400],
    ['since=1900-01-01&until=1902-01-01', 200],
    ['since=2026-13-01', 400],
    ['since=2026-11-31', 400],
    ['until=now', 400],
  ])('returns at most a thousand days, and only valid ones: %s', async (query, status) => {
    const reply = await get(service.server, `/segments/vip/curve?${query}`)
    expect(reply.statusCode).toBe(status)
  })

  test('of a missing segment is refused', async () => {
    const reply = await get(service.server, '/segments/nobody/curve')
    expectFault(reply, 404, 'segment_not_found')
  })
})
