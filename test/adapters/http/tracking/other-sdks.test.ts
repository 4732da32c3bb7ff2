import { afterEach, expect, test } from '@jest/globals'
import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import {
  httpService,
  StoppedClock,
  trackKey,
  type HttpService,
} from '../../../support/http-service.js'

/** A recorded request of an SDK: its path, its members, and its time formats. */
interface RecordedBody {
  readonly sdk: string
  readonly path: string
  /** The place of the key in the request. In a body, the recording contains `"KEY"`. */
  readonly key: 'header' | 'body'
  readonly body: { readonly batch?: readonly object[] }
  readonly stored: {
    readonly id: string
    readonly properties: object
    readonly event: {
      readonly name: string
      readonly properties: object
      readonly occurredAt: string
    }
  }
}

const file = 'test/adapters/http/tracking/sdk-bodies.json'
const sdks = JSON.parse(readFileSync(file, 'utf8')) as readonly RecordedBody[]

let service: HttpService
afterEach(() => service.server.close())

function serve(): void {
  const tracking = { origins: [], context: [], isLenient: false, publicUrl: undefined }
  service = httpService({ clock: new StoppedClock(), options: { tracking } })
}

async function send({ path, key, body }: RecordedBody, isPacked = false) {
  const text = JSON.stringify(body).replaceAll('"KEY"', JSON.stringify(trackKey))
  const reply = await service.server.inject({
    method: 'POST',
    url: path,
    headers: {
      'content-type': 'application/json',
      ...(key === 'header' && {
        authorization: `Basic ${Buffer.from(`${trackKey}:`).toString('base64')}`,
      }),
      ...(isPacked && { 'content-encoding': 'gzip' }),
    },
    payload: isPacked ? gzipSync(text) : text,
  })
  return { status: reply.statusCode, body: reply.json<unknown>() }
}

function storedOf(id: string) {
  return service.store
    .read(`entity-${id}`)
    .map(({ type, data }) => ({ type, data: JSON.parse(data) as unknown }))
}

test.each(sdks)('messages of $sdk are stored once, compressed or not', async (recorded) => {
  serve()
  for (const isPacked of [false, true]) {
    expect(await send(recorded, isPacked)).toEqual({ status: 200, body: { success: true } })
  }
  const { id, properties, event } = recorded.stored
  const [created, ...more] = storedOf(id)
  expect(created).toMatchObject({ type: 'EntityCreated' })
  expect(created?.data).toHaveProperty('properties', properties)
  expect(more).toMatchObject([{ type: 'EventRecorded', data: event }])
})

test.each(sdks)('an error for $sdk has the members that it reads', async (recorded) => {
  serve()
  const { batch } = recorded.body
  const nobody = { userId: null, anonymousId: null }
  const body =
    batch === undefined
      ? { ...recorded.body, ...nobody }
      : { ...recorded.body, batch: batch.map((item) => ({ ...item, ...nobody })) }
  const text = expect.any(String) as unknown
  expect(await send({ ...recorded, body })).toMatchObject({
    status: 400,
    body: { code: 'validation_failed', message: text, error: text },
  })
})
