import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { fastify, type FastifyInstance } from 'fastify'
import { addStartingPoint } from '../../../../src/adapters/http/routes/starting-point.js'

const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
const data = {
  name: 'dossier',
  version: '0.1.0',
  openapi: 'openapi.json',
  health: 'health/ready',
}

describe.each([true, false])('GET / where the console is served: %s', (hasConsole) => {
  let server: FastifyInstance
  beforeAll(() => {
    server = fastify()
    addStartingPoint(server, { version: '0.1.0', hasConsole })
  })
  afterAll(() => server.close())

  test('tells a program where the API is described', async () => {
    const accept = '*/*, text/html;q=0'
    const reply = await server.inject({ url: '/', headers: { accept } })
    expect(reply.statusCode).toBe(200)
    const console = hasConsole ? { console: 'console' } : {}
    expect(reply.json()).toEqual({ status: 'success', data: { ...data, ...console } })
  })

  test('leads a browser to the console, if there is one, below any path prefix', async () => {
    const reply = await server.inject({ url: '/', headers: browser })
    expect([reply.statusCode, reply.headers.location]).toEqual(
      hasConsole ? [302, 'console'] : [200, undefined],
    )
  })
})
