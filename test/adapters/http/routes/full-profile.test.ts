import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { expectFault } from '../../../support/fault-expectation.js'
import { httpService, type HttpService } from '../../../support/http-service.js'
import { patch, post } from '../../../support/post.js'

const fullMembers = Array.from({ length: 5 }, (_, part) =>
  Object.fromEntries(Array.from({ length: 410 }, (_, n) => [`p${String(part)}_${String(n)}`, 1])),
)
const details = [
  {
    path: '/set',
    code: 'too_many',
    message: 'the entity has over 2,048 properties or over 1 MiB of them: unset some first',
  },
]

let service: HttpService
beforeEach(async () => {
  service = httpService()
  await fill(service)
})
afterEach(() => service.server.close())

async function fill({ server }: HttpService): Promise<void> {
  await post(server, '/entities', { external_id: 'ada' })
  for (const set of fullMembers) await patch(server, 'ada', { set })
}

const send = (body: unknown, key?: string) =>
  patch(service.server, 'ada', body, key === undefined ? {} : { 'idempotency-key': key })

describe('PATCH for a full profile', () => {
  test.each([{ set: { plan: 'paid' } }, { set: { plan: 'paid' }, unset: ['p0_0'], upsert: true }])(
    'is refused when it sets: %j',
    async (body) => {
      expect(expectFault(await send(body), 422, 'validation_failed').details).toEqual(details)
      expect(expectFault(await send(body, 'k'), 422, 'validation_failed').details).toEqual(details)
      expect(service.store.read('entity-ada')).toHaveLength(6)
    },
  )

  test('is stored when it only unsets properties, and then there is room', async () => {
    expect((await send({ unset: ['p0_0', 'p0_1'] })).statusCode).toBe(200)
    expect((await send({ set: { plan: 'paid' } })).statusCode).toBe(200)
  })

  test('does not slow down changes of other profiles', async () => {
    await post(service.server, '/entities', { external_id: 'bob' })
    const before = service.readModel.asked.length
    expect((await patch(service.server, 'bob', { set: { plan: 'paid' } })).statusCode).toBe(200)
    expect(service.readModel.asked.slice(before)).toEqual([])
  })

  test('gets the idempotent response when it was stored before', async () => {
    await send({ unset: ['p0_0', 'p0_1'] })
    const first = await send({ set: { plan: 'paid' } }, 'k')
    await send({ set: { p0_0: 1, p0_1: 1 } })
    const again = await send({ set: { plan: 'paid' } }, 'k')
    expect(again.json()).toEqual(first.json())
    expect(again.headers['idempotency-replayed']).toBe('true')
    const other = await send({ set: { plan: 'free' } }, 'k')
    expectFault(other, 422, 'idempotency_key_reused')
  })

  test('is refused as an item of a batch, while the other items are stored', async () => {
    const items = [
      { op: 'update_entity', external_id: 'ada', set: { plan: 'paid' } },
      { op: 'update_entity', external_id: 'ada', unset: ['p0_0', 'p0_1'] },
      { op: 'record_event', entity_external_id: 'ada', name: 'login' },
    ]
    const reply = await post(service.server, '/batch', { items })
    expect(reply.statusCode).toBe(207)
    expect(reply.json()).toMatchObject({
      data: {
        results: [
          { status: 422, error: { code: 'validation_failed', details } },
          { status: 200 },
          { status: 201 },
        ],
      },
    })
  })
})

test('without a read model, a profile has no limit', async () => {
  const alone = httpService({ reads: false })
  await fill(alone)
  expect((await patch(alone.server, 'ada', { set: { plan: 'paid' } })).statusCode).toBe(200)
  await alone.server.close()
})
