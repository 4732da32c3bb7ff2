import { expect, it } from '@jest/globals'
import type { Message, MessageResult } from '../../src/client/dossier.js'
import { fault, ScriptedService, type Step } from './scripted-service.js'

function reply(status: number, body: object, headers: Readonly<Record<string, string>> = {}): Step {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(JSON.stringify(body))
  }
}

const success = reply(200, { success: true })
const refusal = (code: string, errors: readonly object[] = []) => ({
  success: false,
  code,
  message: `It is ${code}.`,
  error: `It is ${code}.`,
  errors,
  request_id: 'r-1',
})
const messages: readonly Message[] = [
  { type: 'identify', userId: 'ada', messageId: 'm-1' },
  { type: 'track', userId: 5, event: 'Bought' },
  { type: 'page', anonymousId: 'a', messageId: 'm-3' },
]

async function resultsOf(service: ScriptedService): Promise<readonly MessageResult[]> {
  const results: MessageResult[] = []
  for await (const result of service.client({ timeoutMs: 60_000 }).messages(messages))
    results.push(result)
  return results
}

it('messages get their own ids, which stay the same for a retry after 503', async () => {
  const later = reply(503, refusal('overloaded'), { 'retry-after': '0' })
  const service = await ScriptedService.start(later, success)
  const results = await resultsOf(service)
  expect(results.map(({ item, error }) => [item.type, error])).toEqual([
    ['identify', undefined],
    ['track', undefined],
    ['page', undefined],
  ])
  const [first, second] = service.received
  expect(first).toMatchObject({ method: 'POST', path: '/v1/batch' })
  const id = expect.stringMatching(/^[0-9a-f]{32}$/)
  expect(first?.body).toEqual({
    batch: [messages[0], { ...messages[1], messageId: id }, messages[2]],
  })
  expect(second?.body).toEqual(first?.body)
})

it('the result says which messages can never be stored, and which are stored', async () => {
  const rule = { path: '/event', code: 'required', message: 'is required' }
  const errors = [
    { index: 1, message_id: null, ...rule },
    { index: 1, message_id: null, ...rule, path: '/timestamp' },
  ]
  const service = await ScriptedService.start(reply(400, refusal('validation_failed', errors)))
  const [first, second, third] = await resultsOf(service)
  expect([first?.error, third?.error]).toEqual([undefined, undefined])
  expect(second?.error).toMatchObject({
    code: 'validation_failed',
    stored: 'no',
    requestId: 'r-1',
    details: [rule, { ...rule, path: '/timestamp' }],
  })
  expect(service.received).toHaveLength(1)
})

it.each([
  ['unauthenticated', reply(401, refusal('unauthenticated')), 'no'],
  ['malformed_json', reply(400, refusal('malformed_json')), 'no'],
  ['unreadable_reply', reply(200, {}), 'unknown'],
  ['route_not_found', fault(404, 'route_not_found'), 'no'],
] as const)('gives every message the error %s, which is one of all', async (code, step, stored) => {
  const service = await ScriptedService.start(step)
  const results = await resultsOf(service)
  expect(results.map(({ error }) => error)).toMatchObject(
    Array.from({ length: 3 }, () => ({ code, stored })),
  )
})

it('`stored` is unknown for messages that were given up', async () => {
  const service = await ScriptedService.start(
    reply(429, refusal('rate_limited'), { 'retry-after': '90' }),
  )
  const results = await resultsOf(service)
  expect(results.map(({ error }) => error?.stored)).toEqual(['unknown', 'unknown', 'unknown'])
})
