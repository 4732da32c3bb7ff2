import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import type { EventStore } from '../../../../src/application/recording/ports/event-store.js'
import { Refusal } from '../../../../src/application/ports/refusal.js'
import { create, postBatch, record, update, type BatchResult } from '../../../support/batch.js'
import { quickOrThorough } from '../../../support/thoroughness.js'
import { httpService, type HttpService } from '../../../support/http-service.js'
import { patch, post } from '../../../support/post.js'

/** Texts in an item that make the store fail, with their errors. */
const storeErrors: Readonly<Record<string, () => Error>> = {
  'PLANTED-UNAVAILABLE': () => new Refusal('store_unavailable', 'planted'),
  'PLANTED-OVERLOADED': () => new Refusal('overloaded', 'planted'),
  'PLANTED-UNKNOWN': () => new Refusal('outcome_unknown', 'planted'),
  'PLANTED-STORED-UNKNOWN': () => new Refusal('outcome_unknown', 'planted'),
  'PLANTED-TOO-LARGE': () => new Refusal('append_too_large', 'planted'),
  'PLANTED-BUG': () => new TypeError('planted'),
}

function failing(store: EventStore): EventStore {
  return {
    append: async (append) => {
      const [fact] = append.facts
      const planted = Object.keys(storeErrors).find((text) => fact?.data.includes(`"${text}"`))
      const error = planted === undefined ? undefined : storeErrors[planted]?.()
      if (error === undefined) return store.append(append)
      if (planted === 'PLANTED-STORED-UNKNOWN') await store.append(append)
      throw error
    },
  }
}

type Item = Readonly<Record<string, unknown>>

const entities = ['ada', 'bob', 'ünï/%2f ☃']
const properties: fc.Arbitrary<unknown> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.constantFrom<unknown[]>({}, { n: 1 }, { n: 2 }, { n: [1, { m: null }] }),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom<unknown[]>(null, [], 'x', { n: 1e300 }, { '': 1, n: '\ud800' }),
  },
  { weight: 2, arbitrary: fc.constantFrom(...Object.keys(storeErrors)).map((text) => ({ text })) },
)
const seldom = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 2 })
const common = {
  idempotency_key: fc.option(fc.constantFrom('k1', 'k2'), { nil: undefined, freq: 1 }),
  strange: fc.oneof({ weight: 9, arbitrary: fc.constant(undefined) }, fc.constant(1)),
}
const anyEntity = fc.constantFrom(...entities)
const items: fc.Arbitrary<Item> = fc.oneof(
  fc
    .record({ id: anyEntity, properties: seldom(properties), ...common })
    .map(({ id, ...more }) => create(id, more)),
  fc
    .record({
      id: anyEntity,
      properties: seldom(properties),
      name: fc.constantFrom('in', 'out', ' ', 1),
      ...common,
    })
    .map(({ id, ...more }) => record(id, more)),
  fc
    .record({
      id: anyEntity,
      set: seldom(properties),
      unset: seldom(fc.constantFrom<unknown[]>(['n'], ['a', 'b'], ['b', 'a'], 'n', [''])),
      upsert: seldom(fc.constantFrom<unknown[]>(true, true, false, 'yes')),
      ...common,
    })
    .map(({ id, ...more }) => update(id, more)),
)

const requestId = 'one-for-all'

/** The outcome of an item, without values that differ between two services. */
interface Outcome {
  readonly status: number
  readonly data?: unknown
  readonly error?: unknown
  readonly replayed?: boolean
}

function outcomeOf(result: BatchResult): Outcome {
  if ('error' in result) return result
  const { status, data, replayed } = result
  const { id: _, ...told } = data
  return { status, data: told, replayed }
}

/** Sends the item as a single request. */
async function sendAlone(service: HttpService, item: Item): Promise<Outcome> {
  const { op, idempotency_key: key, ...body } = item
  const headers = {
    'request-id': requestId,
    ...(typeof key === 'string' ? { 'idempotency-key': key } : {}),
  }
  const { external_id: id, ...change } = body
  const reply =
    op === 'update_entity'
      ? await patch(service.server, String(id), change, headers)
      : await post(service.server, op === 'create_entity' ? '/entities' : '/events', body, headers)
  const { data, error } = reply.json<{ data?: Record<string, unknown>; error?: unknown }>()
  const status = reply.statusCode
  if (data === undefined) return { status, error }
  const { id: _, ...told } = data
  return { status, data: told, replayed: 'idempotency-replayed' in reply.headers }
}

/** Sends one request after another. After a 503 or 504, later requests about that entity are not sent. */
async function sendOneByOne(service: HttpService, batch: readonly Item[]): Promise<Outcome[]> {
  const open = new Set<unknown>()
  const outcomes: Outcome[] = []
  for (const item of batch) {
    const entity = item['external_id'] ?? item['entity_external_id']
    const outcome = await sendAlone(open.has(entity) ? elsewhere : service, item)
    // Broken rules are reported in any case, because they do not depend on earlier items.
    outcomes.push(open.has(entity) && outcome.status !== 422 ? notSent(item) : outcome)
    if ([503, 504].includes(outcome.status)) open.add(entity)
  }
  return outcomes
}

/** A service that stores nothing, to check whether an item breaks rules. */
const elsewhere = httpService({
  eventStore: () => ({
    append: () => Promise.reject(new Refusal('store_unavailable', 'elsewhere')),
  }),
})

function notSent(item: Item): Outcome {
  const kept = item['idempotency_key'] !== undefined
  const message = kept
    ? expect.stringContaining('An earlier request with the same Idempotency-Key')
    : expect.stringContaining('Nothing was stored')
  return {
    status: 503,
    error: { code: 'store_unavailable', message, details: [], request_id: requestId },
  }
}

/** Returns the facts of each entity without their ids. */
function factsOf({ store }: HttpService) {
  return entities.map((id) => store.read(`entity-${id}`).map(({ id: _, ...fact }) => fact))
}

function expectCounts(answer: Awaited<ReturnType<typeof postBatch>>): void {
  const { results, counts } = answer
  const number = (wanted: (one: BatchResult) => boolean) => results.filter(wanted).length
  expect(counts).toEqual({
    stored: number((one) => 'data' in one && !one.replayed),
    replayed: number((one) => 'data' in one && one.replayed),
    refused: number((one) => 'error' in one && ![500, 504].includes(one.status)),
    unknown: number((one) => 'error' in one && [500, 504].includes(one.status)),
  })
  expect(answer.status).toBe(results.every((one) => 'data' in one) ? 200 : 207)
  const positions = results.flatMap((one) => ('data' in one ? [Number(one.position)] : []))
  const highest = positions.length === 0 ? undefined : String(Math.max(...positions))
  expect(answer.headers['position']).toBe(highest)
}

test('a batch has the outcomes of its items sent as single requests', async () => {
  const batches = fc.array(fc.array(items, { minLength: 1, maxLength: 14 }), {
    minLength: 1,
    maxLength: 3,
  })
  const inFlight = fc.constantFrom(1, 2, 100)
  await fc.assert(
    fc.asyncProperty(batches, inFlight, async (all, limit) => {
      const together = httpService({ eventStore: failing, batchLimits: { inFlight: limit } })
      const alone = httpService({ eventStore: failing })
      for (const batch of all) {
        const answer = await postBatch(together.server, batch, { 'request-id': requestId })
        expect(answer.results.map(outcomeOf)).toEqual(await sendOneByOne(alone, batch))
        expectCounts(answer)
      }
      expect(factsOf(together)).toEqual(factsOf(alone))
    }),
    { numRuns: quickOrThorough({ quick: 10, thorough: 100 }) },
  )
})
