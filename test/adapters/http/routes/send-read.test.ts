import { expect, it } from '@jest/globals'
import fastify from 'fastify'
import { plainFault } from '../../../../src/adapters/http/errors/faults.js'
import { ReplyBudget } from '../../../../src/adapters/http/requests/byte-budgets.js'
import { sendRead } from '../../../../src/adapters/http/routes/read-route.js'
import { FairTurns } from '../../../../src/application/fair-turns.js'

class NoRoom extends ReplyBudget {
  override count(): void {
    throw plainFault('overloaded')
  }
}

it.each([
  ['with its content', new ReplyBudget(), { etag: '"2"', 'log-time': '1970-01-01T00:00:00.001Z' }],
  ['that exceeds the budget', new NoRoom(), {}],
])('a reply %s has content headers only if it has content', async (_what, replies, headers) => {
  const parts = { replies, turns: new FairTurns() }
  const server = fastify()
  server.get('/', (request, reply) => {
    const data = { text: 'x'.repeat(20_000) }
    return sendRead(request, reply, { data, position: 3, logTime: 1, version: 2 }, parts)
  })
  const { etag, 'log-time': logTime } = (await server.inject('/')).headers
  expect({ etag, 'log-time': logTime }).toEqual(headers)
})
