import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from '@jest/globals'
import { runLoad } from '../../bench/load/run-load.js'

test.each([
  ['no more than are due by its end', 100, { seconds: 0.1, requests: 1_000 }, 10],
  ['all of an order that ends earlier', 1_000, { seconds: 60, requests: 20 }, 20],
])('at a given rate it sends %s', async (_, perSecond, until, most) => {
  const server = createServer((_request, response) => {
    response.setHeader('content-length', 0)
    response.end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const outcome = await runLoad({
    origin: `http://127.0.0.1:${String(port)}`,
    key: 'none',
    connections: 4,
    perSecond,
    ...until,
    kind: 'profile',
    named: { first: 0, count: 1, of: 1 },
    prefix: '',
  })
  server.close()
  await once(server, 'close')
  expect(outcome.requests).toBeLessThanOrEqual(most)
  expect(outcome.statuses).toEqual({ 200: outcome.requests })
})
