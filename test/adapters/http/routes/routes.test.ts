import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { expectFault } from '../../../support/fault-expectation.js'
import { httpService, type HttpService } from '../../../support/http-service.js'

let service: HttpService
beforeAll(() => {
  service = httpService()
})
afterAll(() => service.server.close())

describe('a known path refuses other methods', () => {
  test.each(['/events?x=1', '/%65vents', 'http://elsewhere.example/events'])(
    'in every spelling of the path: %s',
    async (url) => {
      const reply = await service.server.inject({ method: 'DELETE', url })
      expectFault(reply, 405, 'method_not_allowed')
      expect(reply.headers.allow).toBe('POST')
    },
  )

  test('and says where events are read', async () => {
    const reply = await service.server.inject({ method: 'GET', url: '/events' })
    const { message } = expectFault(reply, 405, 'method_not_allowed')
    expect(message).toContain('/entities/{external_id}/events')
    expect(message).toContain('/facts?types=EventRecorded')
  })
})

describe('HEAD is answered like GET, without a body', () => {
  test.each(['/health/live', '/health/ready', '/health/ready/reads', '/openapi.json', '/metrics'])(
    '%s',
    async (url) => {
      const get = await service.server.inject({ method: 'GET', url })
      const head = await service.server.inject({ method: 'HEAD', url })
      expect([head.statusCode, head.body]).toEqual([200, ''])
      expect(head.headers['content-length']).toBe(get.headers['content-length'])
      expect(head.headers['content-type']).toBe(get.headers['content-type'])
    },
  )
})

describe('404 is returned for', () => {
  test.each([
    '/entities/',
    '/entities/ada/',
    '/entities/ada/x',
    '//entities',
    '/Entities',
    '/events%2F',
    '/health%2Flive',
    '/health',
    '/metrics/x',
    '/%2e%2e/etc/passwd',
    '/__proto__',
    '/constructor',
    '/a*b',
  ])('%s', async (url) => {
    expectFault(await service.server.inject({ method: 'GET', url }), 404, 'route_not_found')
  })
})

test.each(['/%', '/entities%', '/%zz', '/%ff', '/events/%c3%28'])(
  'a URL that cannot be decoded is refused: %s',
  async (url) => {
    const reply = await service.server.inject({ method: 'GET', url })
    expectFault(reply, 400, 'malformed_request')
  },
)
