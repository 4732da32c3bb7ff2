import { afterEach, describe, expect, test } from '@jest/globals'
import { batchAnswer, create } from '../../../support/batch.js'
import { expectFault, expectInvalid } from '../../../support/fault-expectation.js'
import { bodyLimit } from '../../../support/http-service.js'
import { post } from '../../../support/post.js'
import { sharedHttpService } from '../../../support/shared-http-service.js'

const batchLimit = 4_194_304

const service = sharedHttpService()
afterEach(() => {
  expect(service.store.read('entity-ada')).toEqual([])
})

const ada = JSON.stringify(create('ada'))
const right = `{"items":[${ada}]}`

describe('an invalid batch is refused as a whole', () => {
  test.each<[string, unknown, readonly string[]]>([
    ['no items', {}, ['/items required']],
    ['items that are null', { items: null }, ['/items wrong_type']],
    ['items that are an object', { items: { 0: create('ada') } }, ['/items wrong_type']],
    ['items that are text', { items: 'ada' }, ['/items wrong_type']],
    ['an empty list', { items: [] }, ['/items empty']],
    ['1,001 items', { items: Array(1_001).fill(create('ada')) }, ['/items too_many']],
    [
      'items that are not objects',
      { items: [create('ada'), 1, null, [create('ada')], 'x'] },
      [1, 2, 3, 4].map((at) => `/items/${String(at)} wrong_type`),
    ],
  ])('%s: 422', async (_what, body, details) => {
    expectInvalid(await post(service.server, '/batch', body), ...details)
  })

  test('a thousand items that are not objects give a hundred details', async () => {
    const reply = await post(service.server, '/batch', { items: Array(1_000).fill(0) })
    expect(expectFault(reply, 422, 'validation_failed').details).toHaveLength(100)
  })
})

describe('the size limit of a batch', () => {
  const sized = (bytes: number) => right + ' '.repeat(bytes - right.length)

  test('is 4 MiB whatever the limit of other bodies', async () => {
    expect(bodyLimit).toBeLessThan(batchLimit)
    const large = await post(service.server, '/batch', sized(batchLimit).replace('ada', 'bob'))
    expect(batchAnswer(large.statusCode, large.body).short).toEqual(['201'])
    const larger = await post(service.server, '/batch', sized(batchLimit + 1))
    expect(expectFault(larger, 413, 'body_too_large').message).toBe(
      'The body is larger than 4194304 bytes. Send a smaller one.',
    )
  })

  test('does not affect other routes, whose messages state their own limit', async () => {
    const body = JSON.stringify({ external_id: 'ada', properties: { a: 'x'.repeat(bodyLimit) } })
    const reply = await post(service.server, '/entities', body)
    expect(expectFault(reply, 413, 'body_too_large').message).toContain(String(bodyLimit))
  })

  test('applies to the whole batch and not to an item', async () => {
    const item = create('bob', { properties: { a: 'x'.repeat(2 * bodyLimit) } })
    const reply = await post(service.server, '/batch', { items: [item] })
    expect(batchAnswer(reply.statusCode, reply.body).short).toEqual(['201'])
  })
})

test('an Idempotency-Key header is refused for a batch, even if it is malformed', async () => {
  for (const key of ['k', '', 'not a key']) {
    const reply = await post(service.server, '/batch', right, { 'idempotency-key': key })
    const fault = expectFault(reply, 400, 'malformed_request')
    expect(fault.message).toContain('"idempotency_key"')
  }
})
