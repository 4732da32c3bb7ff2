import { afterEach, expect, test } from '@jest/globals'
import { gzipSync } from 'node:zlib'
import {
  httpService,
  StoppedClock,
  trackKey,
  type HttpService,
} from '../../../support/http-service.js'

let service: HttpService
afterEach(() => service.server.close())

const authorization = `Basic ${Buffer.from(`${trackKey}:`).toString('base64')}`

/** One `track` as the SDKs of other languages send it: their path, their members, their forms of a time. */
const sdks = [
  {
    sdk: "Python's",
    path: '/v1/batch',
    body: {
      batch: [
        {
          integrations: {},
          anonymousId: null,
          properties: { total: 12.5 },
          timestamp: '2026-11-20T09:29:58.123456+00:00',
          context: { library: { name: 'analytics-python', version: '2.3.4' } },
          userId: 'ada',
          type: 'track',
          event: 'Bought',
          messageId: '6b1c7a52-3a0e-4d52-9f5c-0a4f4a7b6a11',
        },
      ],
      sentAt: '2026-11-20T09:29:59.654321+00:00',
      writeKey: trackKey,
    },
  },
  {
    sdk: "Go's",
    path: '/v1/batch',
    body: {
      messageId: '1f6f5d3e-77d1-4f0b-9a34-6d3f9b2f7c01',
      sentAt: '2026-11-20T09:29:59.654321987Z',
      batch: [
        {
          type: 'track',
          messageId: '3b8f9a0c-52c4-4f8e-8d0e-1d3b2c4a5e6f',
          userId: 'ada',
          event: 'Bought',
          timestamp: '2026-11-20T09:29:58.123456789Z',
          properties: { total: 12.5 },
        },
      ],
      context: { library: { name: 'analytics-go', version: '3.0.0' } },
    },
  },
  {
    sdk: "Ruby's",
    path: '/v1/import',
    body: {
      sentAt: '2026-11-20T09:29:59.654Z',
      batch: [
        {
          context: { library: { name: 'analytics-ruby', version: '2.5.0' } },
          messageId: 'a3d5c1b2-9e8f-4a7b-8c6d-5e4f3a2b1c0d',
          timestamp: '2026-11-20T09:29:58.123Z',
          userId: 'ada',
          type: 'track',
          event: 'Bought',
          properties: { total: 12.5 },
        },
      ],
    },
  },
]

async function send(path: string, body: object, isPacked: boolean) {
  const text = JSON.stringify(body)
  const headers = { authorization, 'content-type': 'application/json' }
  return service.server.inject({
    method: 'POST',
    url: path,
    headers: isPacked ? { ...headers, 'content-encoding': 'gzip' } : headers,
    payload: isPacked ? gzipSync(text) : text,
  })
}

test.each(sdks)('what $sdk SDK sends is stored, packed or not, once', async ({ path, body }) => {
  const context = ['library']
  const tracking = { origins: [], context, isLenient: false, publicUrl: undefined }
  service = httpService({ clock: new StoppedClock(), options: { tracking } })
  for (const isPacked of [false, true]) {
    const reply = await send(path, body, isPacked)
    expect([reply.statusCode, reply.json()]).toEqual([200, { success: true }])
  }
  const [created, recorded, ...more] = service.store.read('entity-ada')
  expect([created?.type, recorded?.type, more]).toEqual(['EntityCreated', 'EventRecorded', []])
  expect(JSON.parse(recorded?.data ?? '')).toMatchObject({
    name: 'Bought',
    properties: {
      total: 12.5,
      context: { library: { version: expect.stringMatching(/^\d/) as unknown } },
    },
    occurredAt: '2026-11-20T09:29:58.123Z',
  })
})

test.each(sdks)(
  'an error that $sdk SDK is sent has what it reads of one',
  async ({ path, body }) => {
    service = httpService({ clock: new StoppedClock() })
    const [item] = body.batch
    const reply = await send(path, { ...body, batch: [{ ...item, event: '' }] }, false)
    expect(reply.statusCode).toBe(400)
    const text = expect.any(String) as unknown
    expect(reply.json()).toMatchObject({ code: 'validation_failed', message: text, error: text })
  },
)
