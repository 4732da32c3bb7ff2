import { expect, test } from '@jest/globals'
import { requestsOf } from '../../bench/load/requests.js'
import type { Order } from '../../bench/load/order.js'

const order = (kind: Order['kind']): Order => ({
  origin: 'http://127.0.0.1:3000',
  key: 'key',
  connections: 1,
  kind,
  named: { first: 0, count: 2, of: 10 },
  prefix: 'order-',
})

const caller = 'HTTP/1.1\r\nhost: 127.0.0.1:3000\r\nauthorization: Bearer key\r\n\r\n'

test('reads have no body, and name entities spread over those that there are', () => {
  const profiles = requestsOf(order('profile'))
  expect([0, 1, 2].map(profiles)).toEqual([
    `GET /entities/customer-0 ${caller}`,
    `GET /entities/customer-5 ${caller}`,
    `GET /entities/customer-0 ${caller}`,
  ])
  expect(requestsOf(order('timeline'))(1)).toBe(
    `GET /entities/customer-5/events?limit=100 ${caller}`,
  )
})

test('of one entity each event says the other than the one before', () => {
  const flips = requestsOf(order('flip'))
  const said = [0, 1, 2, 3, 4].map((n) => flips(n).match(/customer-\d|"in":\w+/g))
  expect(said).toEqual([
    ['customer-0', '"in":true'],
    ['customer-5', '"in":true'],
    ['customer-0', '"in":false'],
    ['customer-5', '"in":false'],
    ['customer-0', '"in":true'],
  ])
})
