import { isUtf8 } from 'node:buffer'
import { z } from 'zod'
import type { RawReply } from './raw-client.js'

const time = z.iso.datetime({ precision: 3 })
const properties = z.record(z.string(), z.json())
const entityData = z.strictObject({
  external_id: z.string(),
  properties,
  created_at: time,
  recorded_at: time,
})
const eventData = z.strictObject({
  id: z.uuid(),
  entity_external_id: z.string(),
  name: z.string(),
  properties,
  timestamp: time,
  occurred_at: time.optional(),
})
const stored = z.strictObject({
  status: z.literal('success'),
  data: z.union([entityData, eventData]),
})
const fault = z.strictObject({
  status: z.literal('error'),
  error: z.strictObject({
    code: z.string(),
    message: z.string().min(1),
    details: z
      .array(
        z.strictObject({
          path: z.string(),
          code: z.enum([
            'required',
            'wrong_type',
            'empty',
            'too_long',
            'too_many',
            'too_deep',
            'unknown_field',
            'bad_characters',
            'ill_formed',
            'number_out_of_range',
            'not_a_time',
            'in_future',
            'unknown_operation',
          ]),
          message: z.string().min(1),
        }),
      )
      .max(100),
    request_id: z.string(),
  }),
})

const batch = z.strictObject({
  status: z.enum(['success', 'partial']),
  data: z.strictObject({
    results: z.array(
      z.union([
        z.strictObject({
          status: z.literal(201),
          data: stored.shape.data,
          position: z.string().regex(/^\d+$/),
          replayed: z.boolean(),
        }),
        z.strictObject({ status: z.number(), error: fault.shape.error }),
      ]),
    ),
    counts: z.strictObject({
      stored: z.number(),
      replayed: z.number(),
      refused: z.number(),
      unknown: z.literal(0),
    }),
  }),
})

export type StoredData = z.infer<typeof stored>['data']
export type ShownFault = z.infer<typeof fault>['error']

/** A reply whose format was checked. */
export interface ReadReply {
  readonly status: number
  /** The headers, with names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly stored?: StoredData
  readonly fault?: ShownFault
  /** For a batch: the result of each item, as the reply to a single request. */
  readonly results?: readonly ReadReply[]
}

/** The error codes that each status may have. Other error statuses are wrong here. */
const codesOf: Readonly<Record<number, readonly string[]>> = {
  400: ['malformed_json', 'malformed_request'],
  401: ['unauthenticated'],
  403: ['forbidden'],
  404: ['entity_not_found', 'route_not_found'],
  405: ['method_not_allowed'],
  408: ['request_timeout'],
  409: ['entity_exists'],
  413: ['body_too_large'],
  415: ['unsupported_media_type'],
  422: ['validation_failed', 'idempotency_key_reused'],
  431: ['headers_too_large'],
}

const headerLine = /^[A-Za-z-]+$/
const headerValue = /^[\x20-\x7e]*$/
const requestIdFormat = /^[A-Za-z0-9._-]{1,128}$/
/** Matches texts that reveal internals of the program. */
const inner =
  /node_modules|node:|\.[jt]s:\d|\bat .+\(|sqlite|fastify|FST_|ERR_|HPE_|Error\b|\/tmp|dist\//i

/** Parses a reply and checks its format by the contract. Throws an error that describes the fault. */
export function readReply(reply: RawReply, toHead: boolean): ReadReply {
  const headers = headersOf(reply)
  expect(/^HTTP\/1\.1 \d{3} [A-Za-z -]+$/.test(reply.statusLine), `status line ${reply.statusLine}`)
  expect(headers['content-type'] === 'application/json; charset=utf-8', 'Content-Type')
  expect(/^\d+$/.test(headers['content-length'] ?? ''), 'Content-Length')
  expect(requestIdFormat.test(headers['request-id'] ?? ''), 'Request-Id')
  const { status } = reply
  expect(status < 500, `status ${String(status)}: ${reply.body.toString()}`)
  if (toHead) return { status, headers }
  expect(isUtf8(reply.body), 'the body is not UTF-8')
  const body: unknown = JSON.parse(reply.body.toString())
  if (status === 201) return { status, headers, stored: storedIn(body, headers) }
  if (status === 207 || isBatch(body))
    return { status, headers, results: resultsIn(body, reply.status, headers) }
  if (status === 200) return { status, headers }
  return { status, headers, fault: faultIn(body, status, headers) }
}

function headersOf({ headers }: RawReply): Record<string, string> {
  const read: Record<string, string> = {}
  for (const [given, value] of headers) {
    const name = given.toLowerCase()
    expect(headerLine.test(given) && headerValue.test(value), `header ${given}: ${value}`)
    expect(!(name in read), `two headers ${name}`)
    read[name] = value
  }
  return read
}

function storedIn(body: unknown, headers: Readonly<Record<string, string>>): StoredData {
  const { data } = stored.parse(body)
  expect(/^\d+$/.test(headers['position'] ?? ''), 'Position')
  const location =
    'created_at' in data ? `/entities/${encodeURIComponent(data.external_id)}` : undefined
  expect(headers['location'] === location, 'Location')
  return data
}

function isBatch(body: unknown): boolean {
  return batch.safeParse(body).success
}

function resultsIn(
  body: unknown,
  status: number,
  headers: Readonly<Record<string, string>>,
): readonly ReadReply[] {
  const { status: word, data } = batch.parse(body)
  const results = data.results.map((result): ReadReply => {
    if ('error' in result) {
      const wrapped = { status: 'error', error: result.error }
      const itemHeaders = { 'request-id': headers['request-id'] ?? '' }
      return {
        status: result.status,
        headers: itemHeaders,
        fault: faultIn(wrapped, result.status, itemHeaders),
      }
    }
    const { position, replayed } = result
    const itemHeaders = { position, ...(replayed ? { 'idempotency-replayed': 'true' } : {}) }
    return { status: result.status, headers: itemHeaders, stored: result.data }
  })
  const positions = data.results.flatMap((one) => ('data' in one ? [Number(one.position)] : []))
  const highest = positions.length === 0 ? undefined : String(Math.max(...positions))
  expect(headers['position'] === highest, `the Position of a batch: ${headers['position'] ?? ''}`)
  const replayed = data.results.filter((one) => 'data' in one && one.replayed).length
  const refused = results.length - positions.length
  const { counts } = data
  const right =
    counts.stored === positions.length - replayed &&
    counts.replayed === replayed &&
    counts.refused === refused
  expect(right, `the counts of a batch: ${JSON.stringify(counts)}`)
  const [wantedStatus, wantedWord] = refused === 0 ? [200, 'success'] : [207, 'partial']
  expect(status === wantedStatus && word === wantedWord, `${String(status)} ${word} for a batch`)
  return results
}

function faultIn(
  body: unknown,
  status: number,
  headers: Readonly<Record<string, string>>,
): ShownFault {
  const { error } = fault.parse(body)
  expect(codesOf[status]?.includes(error.code) ?? false, `${String(status)} ${error.code}`)
  expect(error.request_id === headers['request-id'], 'request_id is not the Request-Id')
  expect(!('position' in headers) && !('location' in headers), 'a refusal with a place')
  // A malformed query has details. Other malformed requests have none.
  const mayHaveDetails = error.code === 'validation_failed' || error.code === 'malformed_request'
  const mustHaveDetails = error.code === 'validation_failed'
  expect(error.details.length > 0 ? mayHaveDetails : !mustHaveDetails, 'details')
  for (const { message } of [error, ...error.details]) {
    expect(!inner.test(message), `the inside is shown: ${message}`)
  }
  return error
}

export function expect(right: boolean, what: string): asserts right {
  if (!right) throw new Error(`wrong: ${what}`)
}
