import { describe, expect, test } from '@jest/globals'
import { expectFault, shownFault } from '../../../support/fault-expectation.js'
import { httpService, listeningService, readKey } from '../../../support/http-service.js'
import { post } from '../../../support/post.js'
import { RawConnection } from '../../../support/raw-connection.js'
import { rawPost, rawPostHead } from '../../../support/raw-request.js'

const ada = { external_id: 'ada' }

describe('a key that exceeds its rate limit', () => {
  test('gets 429 with the time to wait', async () => {
    const asked: string[] = []
    const take = (keyId: string) => {
      asked.push(keyId)
      return Promise.resolve(2)
    }
    const service = httpService({ rateLimit: { take } })
    const reply = await post(service.server, '/entities', ada)
    const fault = expectFault(reply, 429, 'rate_limited')
    expect(fault.message).toMatch(/Nothing was stored/)
    expect(reply.headers['retry-after']).toBe('2')
    const keyed = await post(service.server, '/entities', ada, { 'idempotency-key': 'k' })
    expect(expectFault(keyed, 429, 'rate_limited').message).toMatch(
      /An earlier request .* may be stored/,
    )
    expect(asked).toEqual(['w', 'w'])
    expect(service.store.read('entity-ada')).toEqual([])
    expect(service.log.lines).toEqual([])
    await service.server.close()
  })

  test('keeps its connection, and other keys are still served', async () => {
    let limited = true
    const service = await listeningService({
      rateLimit: { take: (id) => Promise.resolve(limited && id === 'w' ? 1 : undefined) },
    })
    const connection = await RawConnection.open(service.port)
    connection.send(
      rawPost('/entities', JSON.stringify({ ...ada, properties: { a: 'x'.repeat(5_000) } })),
    )
    const refused = await connection.reply()
    expect([refused.status, shownFault(refused.body).code]).toEqual([429, 'rate_limited'])
    expect(refused.headers['connection']).not.toBe('close')
    const other = await post(service.server, '/entities', ada, {
      authorization: `Bearer ${readKey}`,
    })
    expectFault(other, 403, 'forbidden')
    limited = false
    connection.send(rawPost('/entities', JSON.stringify(ada)))
    expect((await connection.reply()).status).toBe(201)
    connection.cut()
    await service.server.close()
  })

  test('has a batch refused before its body is sent', async () => {
    const service = await listeningService({ rateLimit: { take: () => Promise.resolve(3) } })
    const connection = await RawConnection.open(service.port)
    connection.send(rawPostHead('/batch', ['Content-Length: 4000000']))
    const refused = await connection.reply()
    expect([refused.status, shownFault(refused.body).code]).toEqual([429, 'rate_limited'])
    expect(refused.headers['retry-after']).toBe('3')
    connection.cut()
    await service.server.close()
  })

  test('can use routes without a key, and an unknown key is not counted', async () => {
    const take = () => Promise.reject(new Error('counted'))
    const { server } = httpService({ rateLimit: { take } })
    for (const url of ['/health/live', '/health/ready', '/openapi.json', '/metrics']) {
      expect((await server.inject(url)).statusCode).toBe(200)
    }
    const unknown = await post(server, '/entities', ada, { authorization: 'Bearer unknown' })
    expectFault(unknown, 401, 'unauthenticated')
    await server.close()
  })

  test('a rate limiter that fails causes an internal error', async () => {
    const { server, log } = httpService({
      rateLimit: { take: () => Promise.reject(new Error('x')) },
    })
    expectFault(await post(server, '/entities', ada), 500, 'internal_error')
    expect(log.lines).toHaveLength(1)
    await server.close()
  })
})
