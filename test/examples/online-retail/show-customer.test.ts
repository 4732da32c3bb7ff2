import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from '@jest/globals'
import { GaveUp } from '../../../examples/online-retail/outcome.js'
import { shellQuoted } from '../../../examples/online-retail/read-answers.js'
import { showCustomer } from '../../../examples/online-retail/show-customer.js'

let server: Server | undefined
afterEach(() => {
  server?.closeAllConnections()
  server?.close()
})

/** Shows the customer of a service that answers like this; yields what was printed. */
async function shown(answer: (request: IncomingMessage) => readonly [number, object]) {
  const listening = createServer((request, reply) => {
    const [status, body] = answer(request)
    reply.writeHead(status).end(JSON.stringify(body))
  })
  server = listening
  await new Promise<void>((resolve) => {
    listening.listen(0, '127.0.0.1', resolve)
  })
  const { port } = listening.address() as AddressInfo
  const source = { key: 'the-key', keyFile: 'my data/first-key', position: '9' }
  let printed = ''
  const print = (text: string) => {
    printed += text
  }
  const origin = `http://127.0.0.1:${String(port)}`
  await showCustomer({ origin, ...source }, print, new AbortController().signal)
  return printed.replaceAll(origin, 'http://here')
}

const list = { data: { items: [{ external_id: 'a b' }] } }
const unknown = { error: { code: 'position_unknown', request_id: 'r' } }

test('retries while the service has not applied the position yet', async () => {
  let refusals = 1
  const asked: (string | undefined)[] = []
  const printed = await shown((request) => {
    expect(request.headers).toMatchObject({ authorization: 'Bearer the-key', position: '9' })
    refusals -= 1
    if (refusals === 0) return [503, { error: { code: 'read_model_behind', request_id: 'r' } }]
    asked.push(request.url)
    return request.url === '/entities?limit=1' ? [200, list] : [200, { data: {} }]
  })
  const path = '/entities/a%20b'
  expect(asked).toEqual(['/entities?limit=1', path, `${path}/events?limit=2`, `${path}/history`])
  expect(printed).toContain(
    `curl -sS 'http://here${path}/events?limit=2' ` +
      `-H "Authorization: Bearer $(cat 'my data/first-key')" -H 'Position: 9'`,
  )
  expect(printed).not.toContain('the-key')
})

test('prints nothing without a customer', async () => {
  expect(await shown(() => [200, { data: { items: [] } }])).toBe('')
})

test('gives up on any other refusal', async () => {
  await expect(shown(() => [412, unknown])).rejects.toBeInstanceOf(GaveUp)
})

test('a word for a shell is quoted when necessary', () => {
  expect(['/a/b-c.d', 'a b', "it's", 'a?b=1&c'].map(shellQuoted)).toEqual([
    '/a/b-c.d',
    "'a b'",
    `'it'\\''s'`,
    "'a?b=1&c'",
  ])
})
