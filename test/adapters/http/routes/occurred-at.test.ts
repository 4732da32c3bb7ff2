import { beforeEach, describe, expect, test } from '@jest/globals'
import { expectFault, expectInvalid } from '../../../support/fault-expectation.js'
import { StoppedClock } from '../../../support/http-service.js'
import { post } from '../../../support/post.js'
import { sharedHttpService } from '../../../support/shared-http-service.js'

const clock = new StoppedClock()
const service = sharedHttpService({ clock })
beforeEach(async () => {
  clock.time = '2026-11-20T09:30:00.007Z'
  await post(service.server, '/entities', { external_id: 'ada' })
})

const event = { entity_external_id: 'ada', name: 'login' }
const send = (body: unknown, key?: string) =>
  post(service.server, '/events', body, key === undefined ? {} : { 'idempotency-key': key })

interface EventReply {
  readonly data: {
    readonly id: string
    readonly timestamp: string
    readonly occurred_at?: string
  }
}

const lastFact = () => service.store.read('entity-ada').at(-1)

describe('an event can have its own time', () => {
  test.each([
    ['in UTC', '2026-11-19T18:05:00Z', '2026-11-19T18:05:00.000Z'],
    ['in another zone', '2026-11-19t19:05:00.5+01:00', '2026-11-19T18:05:00.500Z'],
    ['as late as possible', '2026-11-20T09:31:00.0079Z', '2026-11-20T09:31:00.007Z'],
    ['as a day', '2026-11-19', '2026-11-19T00:00:00.000Z'],
    ['as early as possible', '1900-01-01T00:00:00z', '1900-01-01T00:00:00.000Z'],
    [
      'with many digits',
      `2026-11-19T18:05:00.${'123456789'.repeat(500)}Z`,
      '2026-11-19T18:05:00.123Z',
    ],
  ])('%s', async (_how, sent, echoed) => {
    const reply = await send({ ...event, occurred_at: sent })
    expect(reply.statusCode).toBe(201)
    const { data } = reply.json<EventReply>()
    expect(data).toEqual({
      id: lastFact()?.id,
      ...event,
      properties: {},
      timestamp: '2026-11-20T09:30:00.007Z',
      occurred_at: echoed,
    })
    expect(JSON.parse(lastFact()?.data ?? '')).toEqual({
      entityExternalId: 'ada',
      name: 'login',
      properties: {},
      recordedAt: '2026-11-20T09:30:00.007Z',
      occurredAt: echoed,
    })
  })

  test('and without it, neither reply nor fact has the member', async () => {
    const { data } = (await send(event)).json<EventReply>()
    expect(Object.keys(data)).toEqual([
      'id',
      'entity_external_id',
      'name',
      'properties',
      'timestamp',
    ])
    expect(lastFact()?.data).not.toContain('occurredAt')
  })
})

describe('an impossible time is refused', () => {
  const notATime = {
    path: '/occurred_at',
    code: 'not_a_time',
    message:
      'must be a date and time of RFC 3339 with an offset, as in 2026-11-20T09:30:00Z, or a day, as in ' +
      '2026-11-20, from the year 1900 on',
  }
  const inFuture = {
    path: '/occurred_at',
    code: 'in_future',
    message: 'must not be later than 60 seconds from now',
  }
  const wrongType = { path: '/occurred_at', code: 'wrong_type', message: 'must be a string' }
  test.each<[string, unknown, object]>([
    ['null', null, wrongType],
    ['a number', 1_795_340_694_000, wrongType],
    ['an object', {}, wrongType],
    ['an empty text', '', notATime],
    ['no offset', '2026-11-19T18:05:00', notATime],
    ['31 February', '2026-02-31T18:05:00Z', notATime],
    ['second 60', '2016-12-31T23:59:60Z', notATime],
    ['1899', '1899-12-31T23:59:59.999Z', notATime],
    ['half of a surrogate pair', '\ud800', notATime],
    ['a very long text', '9'.repeat(8_000), notATime],
    ['60.001 seconds from now', '2026-11-20T09:31:00.008Z', inFuture],
    ['the next century', '2126-01-01T00:00:00Z', inFuture],
  ])('%s', async (_what, sent, detail) => {
    const reply = await send({ ...event, occurred_at: sent })
    const fault = expectFault(reply, 422, 'validation_failed')
    expect(fault.details).toEqual([detail])
    expect(service.store.read('entity-ada')).toHaveLength(1)
  })

  test.each([
    ['not-a-time', 'not_a_time'],
    ['2126-01-01T00:00:00Z', 'in_future'],
  ])('together with all other faults of the body: %s', async (sent, code) => {
    const body = { entity_external_id: '', properties: { a: 1e300 }, occurred_at: sent, more: 1 }
    expectInvalid(
      await send(body),
      ...['/entity_external_id empty', '/name required', '/properties/a number_out_of_range'],
      ...[`/occurred_at ${code}`, '/more unknown_field'],
    )
  })

  test('and is not repeated in the message', async () => {
    expect((await send({ ...event, occurred_at: 'SECRET' })).body).not.toContain('SECRET')
  })

  test('by the clock at the time of receipt', async () => {
    const body = { ...event, occurred_at: '2026-11-20T09:31:00.008Z' }
    expectFault(await send(body), 422, 'validation_failed')
    clock.time = '2026-11-20T09:30:00.008Z'
    expect((await send(body)).statusCode).toBe(201)
  })
})

describe('a repeated event with an idempotency key', () => {
  const sent = { ...event, occurred_at: '2026-11-19T18:05:00.123Z' }

  test.each([
    ['the same text', '2026-11-19T18:05:00.123Z'],
    ['the same instant in another zone', '2026-11-19T19:05:00.123+01:00'],
    ['the same instant with extra digits', '2026-11-19t18:05:00.1239z'],
  ])('gets the original response: %s', async (_what, occurredAt) => {
    const first = await send(sent, 'key')
    clock.time = '2026-11-21T00:00:00.000Z'
    const second = await send({ ...sent, occurred_at: occurredAt }, 'key')
    expect([second.statusCode, second.body]).toEqual([201, first.body])
    expect(second.headers['idempotency-replayed']).toBe('true')
  })

  test.each<[string, object, object]>([
    ['another instant', sent, { ...sent, occurred_at: '2026-11-19T18:05:00.124Z' }],
    ['no time instead of one', sent, event],
    ['a time instead of none', event, sent],
    [
      'the recording time instead of none',
      event,
      { ...event, occurred_at: '2026-11-20T09:30:00.007Z' },
    ],
  ])('is refused with %s', async (_what, one, other) => {
    const first = await send(one, 'key')
    expectFault(await send(other, 'key'), 422, 'idempotency_key_reused')
    expect((await send(one, 'key')).body).toBe(first.body)
  })
})
