import { beforeEach, describe, expect, test } from '@jest/globals'
import { Refusal } from '../../../../src/application/ports/refusal.js'
import { expectFault } from '../../../support/fault-expectation.js'
import { httpService } from '../../../support/http-service.js'
import { patch, post } from '../../../support/post.js'
import { sharedHttpService } from '../../../support/shared-http-service.js'

const service = sharedHttpService()
beforeEach(async () => {
  await post(service.server, '/entities', { external_id: 'ada' })
})

const send = (id: string, body: unknown) => patch(service.server, id, body)

const factsOf = (id: string) => service.store.read(`entity-${id}`)

const names = (count: number) => Array.from({ length: count }, (_, n) => `k${String(n)}`)
const objectOf = (count: number) => Object.fromEntries(names(count).map((name) => [name, 1]))
const conflict = { code: 'conflict', message: 'is in set as well' }
const empty = { code: 'empty', message: 'must not be empty' }
const required = { code: 'required', message: 'name at least one property in set or unset' }
const wrongType = (what: string) => ({ code: 'wrong_type', message: `must be ${what}` })
const unknown = { code: 'unknown_field', message: 'is not a field of this request' }

describe('a body is refused with all its faults', () => {
  test.each<[string, unknown, readonly object[]]>([
    ['nothing to do', {}, [{ path: '', ...required }]],
    [
      'nothing in set and unset',
      { set: {}, unset: [], upsert: false },
      [{ path: '', ...required }],
    ],
    [
      'invalid names',
      { unset: ['a', null, ''] },
      [
        { path: '/unset/1', ...wrongType('a string') },
        { path: '/unset/2', ...empty },
      ],
    ],
    [
      'a name in both',
      { set: { a: 1, constructor: 2 }, unset: ['b', 'a', 'constructor'], upsert: true },
      [
        { path: '/unset/1', ...conflict },
        { path: '/unset/2', ...conflict },
      ],
    ],
    [
      'faults of every field',
      { set: { a: 1e300, '': 1 }, unset: ['a', ''], upsert: 'y', x: 1 },
      [
        { path: '/set/a', code: 'number_out_of_range', message: expect.any(String) },
        { path: '/set', code: 'empty', message: 'has a member whose key is empty' },
        { path: '/unset/1', ...empty },
        { path: '/upsert', ...wrongType('true or false') },
        { path: '/x', ...unknown },
      ],
    ],
  ])('%s', async (_what, body, details) => {
    const fault = expectFault(await send('ada', body), 422, 'validation_failed')
    expect(fault.details).toEqual(details)
    expect(factsOf('ada')).toHaveLength(1)
  })

  test('up to 100 details', async () => {
    const fault = expectFault(
      await send('ada', { set: objectOf(120), unset: names(120) }),
      422,
      'validation_failed',
    )
    expect(fault.details).toHaveLength(100)
  })

  test('but 512 members and 512 names are allowed', async () => {
    expect((await send('ada', { set: objectOf(512) })).statusCode).toBe(200)
    expect((await send('ada', { unset: names(512) })).statusCode).toBe(200)
  })

  test.each(['{"set":{"__proto__":1}}', '{"__proto__":{"upsert":true}}', '{', '{"set":{}', ' '])(
    'invalid JSON is malformed: %s',
    async (body) => {
      expectFault(await send('ada', body), 400, 'malformed_json')
    },
  )
})

describe('a fault of the store is reported', () => {
  test.each([
    ['503', new Refusal('store_unavailable', 'away'), 503, 'store_unavailable'],
    ['504', new Refusal('outcome_unknown', 'no answer'), 504, 'outcome_unknown'],
    ['removed', new Refusal('stream_removed', 'removed'), 409, 'entity_exists'],
  ] as const)('%s', async (_what, error, status, code) => {
    const failing = httpService({ eventStore: () => ({ append: () => Promise.reject(error) }) })
    const reply = await patch(failing.server, 'ada', { upsert: true })
    const fault = expectFault(reply, status, code)
    expect(fault.message).toMatch(
      { 503: /Nothing was stored/, 504: /may or may not/, 409: /removed permanently/ }[status],
    )
    await failing.server.close()
  })
})
