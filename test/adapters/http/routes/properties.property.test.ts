import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { z } from 'zod'
import { shownFault } from '../../../support/fault-expectation.js'
import { quickOrThorough } from '../../../support/thoroughness.js'
import { httpService, type HttpService } from '../../../support/http-service.js'
import { post } from '../../../support/post.js'

let service: HttpService
beforeAll(() => {
  service = httpService()
})
afterAll(() => service.server.close())

const wellFormed = (unit: 'binary' | 'grapheme', minLength: number, maxLength: number) =>
  fc.string({ unit, minLength, maxLength })
/** Generates keys, except the one that JSON allows and a body does not. */
const key = fc
  .oneof(
    wellFormed('binary', 1, 30),
    fc.constantFrom('constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf', '0', '-1'),
  )
  .filter((text) => text !== '__proto__')
const number = fc.oneof(
  fc.maxSafeInteger(),
  fc.double({ noNaN: true, noDefaultInfinity: true }).filter((one) => !Number.isInteger(one)),
  fc.constantFrom(-0, 2 ** 53 - 1, -(2 ** 53 - 1)),
)
const scalar = fc.oneof(fc.constant(null), fc.boolean(), number, wellFormed('binary', 0, 30))

/** Generates a value with at most this many levels. */
function json(levels: number): fc.Arbitrary<unknown> {
  if (levels === 0) return scalar
  const inner = json(levels - 1)
  return fc.oneof(
    { weight: 3, arbitrary: scalar },
    { weight: 1, arbitrary: fc.array(inner, { maxLength: 3 }) },
    { weight: 1, arbitrary: fc.dictionary(key, inner, { maxKeys: 3, noNullPrototype: true }) },
  )
}
const properties = fc.dictionary(key, json(7), { maxKeys: 12, noNullPrototype: true })

const name = wellFormed('grapheme', 1, 40).filter(
  (text) => text.trim() === text && !/^\.\.?$|\p{Cc}/u.test(text),
)

const numRuns = quickOrThorough({ quick: 12, thorough: 100 })

/** Returns the value after a round trip through JSON, in which −0 becomes 0. */
const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value))
const storedData = z.object({ properties: z.json() })
let made = 0

describe('valid properties', () => {
  test('are returned and stored as equal JSON values', async () => {
    await fc.assert(
      fc.asyncProperty(name, properties, async (text, given) => {
        const id = `${text}-${String((made += 1))}`
        const reply = await post(service.server, '/entities', {
          external_id: id,
          properties: given,
        })
        expect(reply.json()).toMatchObject({ status: 'success', data: { external_id: id } })
        expect(reply.json<{ data: object }>().data).toHaveProperty('properties', asJson(given))
        const [fact, ...more] = service.store.read(`entity-${id}`)
        expect(more).toEqual([])
        expect(storedData.parse(JSON.parse(fact?.data ?? '')).properties).toEqual(asJson(given))
        expect(decodeURIComponent(String(reply.headers.location))).toBe(`/entities/${id}`)
      }),
      { numRuns },
    )
  })

  test('in another spelling count as the same request', async () => {
    const headers = { 'idempotency-key': 'key' }
    await fc.assert(
      fc.asyncProperty(properties, async (given) => {
        const id = `repeated-${String((made += 1))}`
        const turned = Object.fromEntries(Object.entries(given).reverse())
        const first = await post(
          service.server,
          '/entities',
          { external_id: id, properties: given },
          headers,
        )
        const body = JSON.stringify({ properties: turned, external_id: id }, undefined, 2)
        const second = await post(service.server, '/entities', body, headers)
        expect([second.statusCode, second.headers['position']]).toEqual([
          201,
          first.headers['position'],
        ])
      }),
      { numRuns },
    )
  })
})

async function positionNow(): Promise<number> {
  const id = `probe-${String((made += 1))}`
  const reply = await post(service.server, '/entities', { external_id: id })
  return Number(reply.headers['position'])
}

/** Checks that the request is refused with a 4xx error and stores nothing. */
async function expectRefused(send: () => ReturnType<typeof post>): Promise<void> {
  const before = await positionNow()
  const reply = await send()
  expect(shownFault(reply.body).code).not.toBe('internal_error')
  expect(Math.trunc(reply.statusCode / 100)).toBe(4)
  expect(await positionNow()).toBe(before + 1)
}

describe('everything else is refused and changes nothing', () => {
  test('any properties with a number that a double cannot represent', async () => {
    const tooBig = fc.double({ min: 2 ** 53, noNaN: true, noDefaultInfinity: true })
    await fc.assert(
      fc.asyncProperty(properties, tooBig, fc.boolean(), (given, big, negative) =>
        expectRefused(() =>
          post(service.server, '/entities', {
            external_id: 'never',
            properties: { ...given, big: negative ? -big : big },
          }),
        ),
      ),
      { numRuns },
    )
  })

  test('any bytes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 64 }), (bytes) =>
        expectRefused(() => post(service.server, '/events', Buffer.from(bytes))),
      ),
      { numRuns },
    )
  })

  test('a valid body with one changed byte', async () => {
    const right = Buffer.from('{"entity_external_id":"nobody","name":"login","properties":{"a":1}}')
    await fc.assert(
      fc.asyncProperty(fc.nat(right.length - 1), fc.integer({ min: 0, max: 255 }), (at, byte) => {
        const bytes = Buffer.from(right)
        bytes[at] = byte
        return expectRefused(() => post(service.server, '/events', bytes))
      }),
      { numRuns },
    )
  })
})
