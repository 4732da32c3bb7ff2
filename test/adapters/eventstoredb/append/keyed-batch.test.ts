import { afterEach, expect, it, jest } from '@jest/globals'
import { Connection } from '../../../../src/adapters/eventstoredb/append/connection.js'
import { postBatch, record } from '../../../support/batch.js'
import { httpService, trackKey, type HttpService } from '../../../support/http-service.js'
import { post } from '../../../support/post.js'
import { bench } from '../open-store.js'

const { start, open } = bench()
const services: HttpService[] = []
afterEach(async () => {
  jest.restoreAllMocks()
  await Promise.all(services.splice(0).map(({ server }) => server.close()))
})

async function serviceWithAda(): Promise<HttpService['server']> {
  const double = await start()
  const store = open(double.connectionString)
  const service = httpService({ eventStore: () => store, reads: false })
  services.push(service)
  await post(service.server, '/entities', { external_id: 'ada' })
  return service.server
}

const keys = Array.from({ length: 20 }, (_, n) => `key-${String(n)}`)

it('a keyed batch about one entity reads its stream once', async () => {
  const server = await serviceWithAda()
  const read = jest.spyOn(Connection.prototype, 'readUnlessRemoved')
  const { short } = await postBatch(
    server,
    keys.map((key) => record('ada', { idempotency_key: key })),
  )
  expect(short).toEqual(keys.map(() => '201'))
  // One read of the latest facts, and one of the facts after them.
  expect(read.mock.calls.length).toBeLessThanOrEqual(2)
})

it('tracked messages about one entity read its stream once', async () => {
  const server = await serviceWithAda()
  const read = jest.spyOn(Connection.prototype, 'readUnlessRemoved')
  const batch = keys.map((messageId) => ({
    type: 'track',
    event: 'Seen',
    userId: 'ada',
    messageId,
  }))
  const headers = { authorization: `Basic ${Buffer.from(`${trackKey}:`).toString('base64')}` }
  const reply = await server.inject({
    method: 'POST',
    url: '/v1/batch',
    payload: { batch },
    headers,
  })
  expect(reply.statusCode).toBe(200)
  expect(read.mock.calls.length).toBeLessThanOrEqual(2)
})
