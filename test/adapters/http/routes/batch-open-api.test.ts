import { expect, test } from '@jest/globals'
import { openApiDocument } from '../../../../src/adapters/http/routes/open-api.js'
import { routes } from '../../../../src/adapters/http/routes/routes.js'
import { Refusal } from '../../../../src/application/ports/refusal.js'
import { create, record, update } from '../../../support/batch.js'
import { httpService } from '../../../support/http-service.js'
import { OpenApiChecker } from '../../../support/open-api-checker.js'
import { post } from '../../../support/post.js'

const checker = new OpenApiChecker(openApiDocument(routes, '0.0.0'))

async function send(body: unknown) {
  let taken = 0
  const { server } = httpService({
    rateLimit: { take: () => Promise.resolve((taken += 1) > 12 ? 3 : undefined) },
    eventStore: (store) => ({
      append: (append) => {
        if (append.stream === 'entity-lost')
          return Promise.reject(new Refusal('outcome_unknown', 'x'))
        if (append.stream === 'entity-away')
          return Promise.reject(new Refusal('store_unavailable', 'x'))
        return store.append(append)
      },
    }),
  })
  const reply = await post(server, '/batch', body)
  await server.close()
  const { statusCode: status, headers } = reply
  const exchange = { path: '/batch', method: 'post', status, headers, body: reply.body }
  return { status, faults: checker.replyFaults(exchange) }
}

const key = { idempotency_key: 'k' }
const right = [
  create('ada', { properties: { a: [1, null] }, ...key }),
  create('ada', { properties: { a: [1, null] }, ...key }),
  record('ada', key),
  update('ada', { set: { b: 1 }, unset: ['a'], ...key }),
  update('bob', { set: { b: 1 }, upsert: true }),
]

test.each<[string, number, readonly object[]]>([
  ['items of every kind', 200, right],
  [
    'faults of every kind',
    207,
    [
      ...right,
      create('ada'),
      create('ada', key),
      record('nobody'),
      record('lost'),
      record('lost'),
      create('away'),
      create('late'),
      create('beyond the limit'),
    ],
  ],
  ['items of which none is stored', 207, [record('nobody')]],
])('%s have the form of the document, and so has the reply', async (_what, status, items) => {
  expect(checker.requestFaults('/batch', 'post', { items })).toEqual([])
  expect(await send({ items })).toEqual({ status, faults: [] })
})

test('the reply to items that break rules has the form of the document', async () => {
  const items = [{}, { op: 'x' }, create('', { x: 1 }), update('a', {})]
  expect(await send({ items })).toEqual({ status: 207, faults: [] })
})

test.each<[string, unknown]>([
  ['no items', {}],
  ['an empty list', { items: [] }],
  ['too many items', { items: Array(1_001).fill(create('ada')) }],
  ['items that are no objects', { items: [1] }],
  ['another field', { items: [create('ada')], x: 1 }],
])('what the document refuses is refused as a whole: %s', async (_what, body) => {
  expect(checker.requestFaults('/batch', 'post', body)).not.toEqual([])
  expect(await send(body)).toEqual({ status: 422, faults: [] })
})

test.each<[string, object]>([
  ['no op', { external_id: 'ada' }],
  ['another op', { op: 'x', external_id: 'ada' }],
  ['a field of another op', create('ada', { name: 'x' })],
  ['a key of another form', create('ada', { idempotency_key: 'a b' })],
])('and of an item, alone: %s', async (_what, item) => {
  expect(checker.requestFaults('/batch', 'post', { items: [item] })).not.toEqual([])
  expect(await send({ items: [item] })).toEqual({ status: 207, faults: [] })
})
