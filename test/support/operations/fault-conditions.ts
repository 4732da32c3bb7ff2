import { Refusal, type RefusalCode } from '../../../src/application/ports/refusal.js'
import type { QueryName } from '../../../src/application/reading/ports/read-model.js'
import type { HttpService, ServiceParts } from '../http-service.js'
import type { DescribedOperation } from './described-operations.js'
import {
  brokenRequests,
  rightRequest,
  rightRequests,
  type OperationRequest,
} from './operation-requests.js'

/** Sends a request of an operation, which is given by its id. */
export type Send = (id: string, request?: Partial<OperationRequest>) => Promise<unknown>

/** A state of the service, and requests in it that meet faults. */
export interface FaultCondition {
  readonly name: string
  readonly parts?: ServiceParts
  readonly arrange?: (service: HttpService, send: Send) => unknown
  readonly requests?: Requests
}

type Requests = (operation: DescribedOperation) => readonly OperationRequest[]

const rule = { property: '/plan', is: { eq: 'paid' } }
const byRule = { title: 'x', kind: 'rule', rule }
const byHand = { title: 'x', kind: 'hand' }

/** The entity and the segment by hand that right requests are about. */
async function seed(send: Send): Promise<void> {
  await send('createEntity')
  await send('defineSegment', { body: byHand })
}

function withHeaders(headers: Readonly<Record<string, string>>): Requests {
  return (operation) => rightRequests(operation).map((one) => ({ ...one, headers }))
}

function withText(text: string, headers = {}): Requests {
  return (operation) =>
    operation.method === 'GET' ? [] : [{ ...rightRequest(operation), text, headers }]
}

/** Only of one operation. */
function of(id: string, ...requests: readonly Partial<OperationRequest>[]) {
  return (operation: DescribedOperation) =>
    operation.id === id ? requests.map((one) => ({ ...rightRequest(operation), ...one })) : []
}

const ofEdge: readonly FaultCondition[] = [
  {
    name: 'a rule is broken',
    requests: (operation) => brokenRequests(operation).map((one) => one.request),
  },
  { name: 'a URL is none', requests: (one) => [{ ...rightRequest(one), query: '#' }] },
  { name: 'no key is sent', requests: withHeaders({ authorization: 'Bearer nobody' }) },
  { name: 'the key lacks the scope', requests: withHeaders({ authorization: 'Bearer track' }) },
  { name: 'the key asks too often', parts: { rateLimit: { take: () => Promise.resolve(7) } } },
  { name: 'the body is no JSON', requests: withText('{') },
  { name: 'the body has another type', requests: withText('{}', { 'content-type': 'text/plain' }) },
  { name: 'the body is too large', requests: withText(' '.repeat(4_194_305)) },
  {
    name: 'the service stops',
    arrange: ({ lifecycle }) => {
      lifecycle.state = 'closing'
    },
  },
  { name: 'erasures are done again', parts: { isWhole: () => false } },
  { name: 'nothing may be under way', parts: { options: { batchBytes: 0 } } },
  { name: 'the store is away', parts: { health: { check: () => Promise.reject(new Error('x')) } } },
  { name: 'the clock is not trusted', parts: { clockTrust: { isTrusted: false } } },
]

/** Of every append, and of what is read of a stream. */
function storeRefuses(code: RefusalCode, reads: boolean): FaultCondition {
  return {
    name: `the store refuses: ${code}`,
    arrange: async ({ logged }, send) => {
      await seed(send)
      const refuse = () => Promise.reject(new Refusal(code))
      logged.append = refuse
      logged.appendAt = refuse
      if (reads) logged.readStream = refuse
    },
  }
}

/** Of the streams of entities alone. */
function streamIs(code: RefusalCode): FaultCondition {
  return {
    name: `the stream is: ${code}`,
    arrange: async ({ logged }, send) => {
      await send('defineSegment', { body: byHand })
      logged.append = () => Promise.reject(new Refusal(code))
    },
    requests: (operation) => {
      const right = rightRequest(operation)
      const upserts = ['updateEntity', 'recordEvent'].includes(operation.id)
      return upserts
        ? [right, { ...right, body: { ...Object(right.body), upsert: true } }]
        : [right]
    },
  }
}

const ofStore: readonly FaultCondition[] = [
  { name: 'nothing is stored' },
  { name: 'all is stored', arrange: async (_service, send) => seed(send) },
  storeRefuses('store_unavailable', true),
  storeRefuses('overloaded', true),
  storeRefuses('clock_untrusted', false),
  storeRefuses('outcome_unknown', false),
  streamIs('stream_removed'),
  streamIs('stream_erased'),
  {
    name: 'nobody is erased here',
    parts: { erases: false },
    arrange: (_service, send) => seed(send),
  },
]

const otherBodies: Readonly<Record<string, unknown>> = {
  createEntity: { external_id: 'x', properties: { a: 1 } },
  updateEntity: { set: { plan: 'free' } },
  recordEvent: { entity_external_id: 'x', name: 'x', properties: { a: 1 } },
  addToSegment: { reason: 'a' },
  removeFromSegment: { reason: 'a' },
  eraseEntity: { external_id: 'x', reference: 'a' },
}

const ofKeys: readonly FaultCondition[] = Object.entries(otherBodies).map(([id, body]) => ({
  name: `a key is used again: ${id}`,
  arrange: async (_service, send) => {
    if (id !== 'createEntity') await seed(send)
    await send(id, { headers: { 'idempotency-key': 'k' } })
  },
  requests: of(id, { headers: { 'idempotency-key': 'k' }, body }),
}))

/** Queries of the read model that refuse with it, somewhere within. */
function readModelRefuses(code: RefusalCode, names: readonly QueryName[]): FaultCondition {
  return {
    name: `the read model refuses: ${code}`,
    arrange: async ({ readModel }, send) => {
      await seed(send)
      const refuse = () => {
        throw new Refusal(code)
      }
      readModel.planned = Object.fromEntries(names.map((name) => [name, refuse]))
    },
  }
}

const ofReads: readonly FaultCondition[] = [
  { name: 'the position is beyond the store', requests: withHeaders({ position: '999' }) },
  {
    name: 'the read model is behind',
    arrange: async ({ readModel }, send) => {
      readModel.hold()
      await seed(send)
    },
    requests: withHeaders({ position: '1', prefer: 'wait=0' }),
  },
  {
    name: 'the read model is being built',
    arrange: async ({ readModel }, send) => {
      await seed(send)
      readModel.beginBuilding()
    },
  },
  {
    name: 'too much is read',
    arrange: ({ readModel }) => {
      readModel.failure = new Refusal('overloaded')
    },
  },
  // As `PastMemberships` refuses them.
  readModelRefuses('too_many_facts', [
    'profileAt',
    'entitySegments',
    'explainSegment',
    'evaluateRule',
  ]),
  {
    name: 'the segment is being built',
    arrange: async (_service, send) => {
      await send('createEntity')
      await send('defineSegment', { body: byRule })
    },
    requests: (operation) => [
      ...rightRequests(operation),
      ...of('evaluateRule', { body: { rule: { segment: 'x' }, external_ids: ['x'] } })(operation),
      ...of('previewRule', { body: { rule, against: 'x' } })(operation),
    ],
  },
  { name: 'no such segment', requests: of('previewRule', { body: { rule, against: 'y' } }) },
  { name: 'no such property', requests: of('listEntities', { query: 'property=/a&is=a' }) },
]

const other = { path: { key: 'y' } }

const ofSegments: readonly FaultCondition[] = [
  {
    name: 'the kind differs',
    arrange: (_service, send) => send('defineSegment', { body: byHand }),
    requests: of('defineSegment', { body: byRule }),
  },
  {
    name: 'the version is another one',
    arrange: (_service, send) => send('defineSegment', { body: byHand }),
    requests: (operation) => [{ ...rightRequest(operation), headers: { 'if-match': '"9"' } }],
  },
  {
    name: 'another segment names it',
    arrange: async (_service, send) => {
      await send('defineSegment', { ...other, body: byHand })
      await send('defineSegment', { body: { ...byRule, rule: { segment: 'y' } } })
    },
    requests: of('retireSegment', other),
  },
  {
    name: 'there are too many',
    arrange: async (_service, send) => {
      for (let at = 0; at < 200; at += 1) {
        await send('defineSegment', { path: { key: `k${String(at)}` }, body: byHand })
      }
    },
    requests: of('defineSegment', {}),
  },
]

export const faultConditions: readonly FaultCondition[] = [
  ...ofEdge,
  ...ofStore,
  ...ofKeys,
  ...ofReads,
  ...ofSegments,
]
