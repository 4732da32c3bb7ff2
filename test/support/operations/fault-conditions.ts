import { z } from 'zod'
import { toStored } from '../../../src/application/facts/fact-format.js'
import { factTable, type Fact } from '../../../src/application/facts/fact-table.js'
import { noRevision } from '../../../src/application/ports/exact-appends.js'
import { segmentsStream } from '../../../src/domain/segments/segment-facts.js'
import { webhooksStream } from '../../../src/domain/webhooks/webhook-facts.js'
import { Refusal, type RefusalCode } from '../../../src/application/ports/refusal.js'
import type { QueryName } from '../../../src/application/reading/ports/read-model.js'
import { bodyLimit, type HttpService, type ServiceParts } from '../http-service.js'
import { quickOrThorough } from '../thoroughness.js'
import type { DescribedOperation } from './described-operations.js'
import {
  brokenRequests,
  rightRequest,
  rightRequests,
  type OperationReply,
  type OperationRequest,
} from './operation-requests.js'

/** Sends a request of the operation with this id. */
export type Send = (id: string, request?: Partial<OperationRequest>) => Promise<OperationReply>

type Requests = (operation: DescribedOperation) => readonly OperationRequest[]
type Path = OperationRequest['path']

/** A state of the service, and the requests that fail in this state. */
export interface FaultCondition {
  readonly name: string
  readonly parts?: ServiceParts
  /** Prepares the service. Returns path parameters for the requests. */
  readonly arrange?: (service: HttpService, send: Send) => Promise<Path>
  readonly requests?: Requests
}

const nothing: Path = {}
const rule = { property: '/plan', is: { eq: 'paid' } }
const byRule = { title: 'x', kind: 'rule', rule }
const url = 'https://example.com/hook'
const unknownPlace = '999.0a0a0a0a'
const byHand = { title: 'x', kind: 'hand' }

const erasureForm = z.object({ data: z.object({ erasure: z.string() }) })

/** Creates the entity, the segment by hand and the webhook that valid requests use. */
async function seed(send: Send): Promise<Path> {
  await send('createEntity')
  return seedSegment(send)
}

async function seedSegment(send: Send): Promise<Path> {
  await send('defineSegment', { body: byHand })
  await send('defineWebhook', { body: { url } })
  return nothing
}

function withHeaders(headers: Readonly<Record<string, string>>): Requests {
  return (operation) => [{ ...rightRequest(operation), headers }]
}

function withText(text: string, headers = {}): Requests {
  return (operation) =>
    operation.method === 'GET' ? [] : [{ ...rightRequest(operation), text, headers }]
}

function tooLarge(operation: DescribedOperation) {
  const limit = operation.path === '/batch' ? 4_194_304 : bodyLimit
  return withText(' '.repeat(limit + 1))(operation)
}

function oneOfEachCode(operation: DescribedOperation) {
  const all = brokenRequests(operation)
  return [...new Map(all.map(({ code, request }) => [code, request])).values()]
}

/** Returns requests for one operation only. */
function of(id: string, ...requests: readonly Partial<OperationRequest>[]): Requests {
  return (operation) =>
    operation.id === id ? requests.map((one) => ({ ...rightRequest(operation), ...one })) : []
}

function all(...some: readonly Requests[]): Requests {
  return (operation) => some.flatMap((requests) => requests(operation))
}

/** One valid request, because these conditions apply before any optional parameter is read. */
const plain: Requests = quickOrThorough({
  quick: (operation) => [rightRequest(operation)],
  thorough: rightRequests,
})

/** Leaves out reads, which work as usual when only appends are refused. */
function writing(requests: Requests): Requests {
  return (operation) => (operation.method === 'GET' ? [] : requests(operation))
}

function numbered(count: number): readonly string[] {
  return Array.from({ length: count }, (_item, at) => `k${String(at)}`)
}

async function storeAll(
  logged: HttpService['logged'],
  stream: string,
  facts: readonly Fact[],
): Promise<Path> {
  const stored = facts.map((fact) => toStored(fact, { requestId: 'r', keyHash: undefined }))
  await logged.appendAt({ stream, revision: noRevision, facts: stored })
  return nothing
}

const ofEdge: readonly FaultCondition[] = [
  { name: 'a rule is broken', requests: oneOfEachCode },
  { name: 'a URL is none', requests: (one) => [{ ...rightRequest(one), query: '#' }] },
  { name: 'the key is unknown', requests: withHeaders({ authorization: 'Bearer nobody' }) },
  { name: 'the key lacks the scope', requests: withHeaders({ authorization: 'Bearer track' }) },
  {
    name: 'the key asks too often',
    parts: { rateLimit: { take: () => Promise.resolve(7) } },
    requests: plain,
  },
  { name: 'the body is no JSON', requests: withText('{') },
  { name: 'the body has another type', requests: withText('{}', { 'content-type': 'text/plain' }) },
  { name: 'the body is too large', requests: tooLarge },
  {
    name: 'the service stops',
    arrange: ({ lifecycle }) => {
      lifecycle.state = 'closing'
      return Promise.resolve(nothing)
    },
    requests: plain,
  },
  {
    name: 'erasures are done again',
    parts: { hasLedgerCaughtUp: () => false },
    requests: plain,
  },
  {
    name: 'the store is away',
    parts: { health: { check: () => Promise.reject(new Error('x')) } },
    requests: plain,
  },
  {
    name: 'the clock is not trusted',
    parts: { clockTrust: { isTrusted: false } },
    requests: plain,
  },
]

/** Refuses every append with this code. With `reads`, also refuses reads of streams. */
function storeRefuses(code: RefusalCode, reads: boolean): FaultCondition {
  return {
    name: `the store refuses: ${code}`,
    arrange: async ({ logged }, send) => {
      const path = await seed(send)
      const refuse = () => Promise.reject(new Refusal(code))
      logged.append = refuse
      logged.appendAt = refuse
      if (reads) logged.readStream = refuse
      return path
    },
    requests: all(
      reads ? rightRequests : writing(rightRequests),
      of('defineSegment', { path: { key: 'new' } }),
      of('defineWebhook', { path: { key: 'new' } }),
      of('resumeWebhook', { body: { from: 'start' } }),
    ),
  }
}

const upserted = { external_id: 'x', entity_external_id: 'x', name: 'x', upsert: true }
const { external_id: _, ...upsertedEvent } = upserted

/**
 * Refuses appends to entity streams with this code. `stream_erased` refuses every append, and another code only the
 * first append of a stream.
 */
function streamIs(code: RefusalCode): FaultCondition {
  return {
    name: `the stream is: ${code}`,
    arrange: async ({ logged }, send) => {
      const path = await seedSegment(send)
      const append = logged.append.bind(logged)
      logged.append = (one) =>
        code === 'stream_erased' || one.expected === 'new'
          ? Promise.reject(new Refusal(code))
          : append(one)
      return path
    },
    requests: all(
      writing(rightRequests),
      of('updateEntity', { body: { upsert: true } }),
      of('recordEvent', { body: upsertedEvent }),
    ),
  }
}

const ofStore: readonly FaultCondition[] = [
  { name: 'nothing is stored' },
  { name: 'there is no entity', arrange: (_service, send) => seedSegment(send) },
  { name: 'all is there', arrange: (_service, send) => seed(send) },
  storeRefuses('store_unavailable', true),
  storeRefuses('overloaded', true),
  storeRefuses('clock_untrusted', false),
  storeRefuses('outcome_unknown', false),
  storeRefuses('append_too_large', false),
  streamIs('stream_removed'),
  streamIs('stream_erased'),
  { name: 'erasing is off', parts: { notErasable: 'not_ready' }, requests: plain },
  {
    name: 'voiding is off',
    parts: { voidsOff: true },
    arrange: (_service, send) => seed(send),
    requests: of('voidEvent', {}),
  },
  { name: 'the store cannot erase', parts: { notErasable: 'not_possible' }, requests: plain },
  {
    name: 'the entity is there',
    arrange: (_service, send) => seed(send),
    requests: of('createEntity', {}),
  },
  {
    name: 'it is not known where the entity was erased',
    arrange: async (_service, send) => {
      await send('createEntity')
      const { body } = await send('eraseEntity', {
        body: { external_id: 'x', recipients: ['x'] },
      })
      return erasureForm.parse(JSON.parse(body)).data
    },
    requests: all(of('confirmErasure', {}), of('liftSuppression', {})),
  },
]

const otherRequests: Readonly<Record<string, Pick<OperationRequest, 'body' | 'query'>>> = {
  createEntity: { body: { external_id: 'x', properties: { a: 1 } } },
  updateEntity: { body: { set: { plan: 'free' } } },
  recordEvent: { body: { entity_external_id: 'x', name: 'x', properties: { a: 1 } } },
  addToSegment: { body: { reason: 'a' } },
  removeFromSegment: { query: 'reason=a' },
  eraseEntity: { body: { external_id: 'x', reference: 'a' } },
}

const ofKeys = Object.entries(otherRequests).map(([id, other]): FaultCondition => ({
  name: `a key is used again: ${id}`,
  arrange: async (_service, send) => {
    if (id !== 'createEntity') await seed(send)
    await send(id, { headers: { 'idempotency-key': 'k' } })
    return nothing
  },
  requests: of(id, { headers: { 'idempotency-key': 'k' }, ...other }),
}))

/** Makes these queries of the read model fail with this code. */
function readModelRefuses(code: RefusalCode, names: readonly QueryName[]): FaultCondition {
  return {
    name: `the read model refuses: ${code}`,
    arrange: async ({ readModel }, send) => {
      const path = await seed(send)
      const refuse = () => {
        throw new Refusal(code)
      }
      readModel.planned = Object.fromEntries(names.map((name) => [name, refuse]))
      return path
    },
  }
}

const folds = ['profileAt', 'entitySegments', 'explainSegment', 'evaluateRule', 'event'] as const

const ofReads: readonly FaultCondition[] = [
  { name: 'the position is beyond the store', requests: withHeaders({ position: '999' }) },
  {
    name: 'the read model is behind',
    arrange: ({ readModel }, send) => {
      readModel.hold()
      return seed(send)
    },
    requests: withHeaders({ position: '1', prefer: 'wait=0' }),
  },
  {
    name: 'the read model is being built',
    arrange: async ({ readModel }, send) => {
      const path = await seed(send)
      readModel.beginBuilding()
      return path
    },
    requests: all(
      rightRequests,
      of('defineWebhook', { path: { key: 'new' } }),
      of('resumeWebhook', { body: { from: 'now' } }),
    ),
  },
  {
    name: 'too much is read',
    arrange: ({ readModel }) => {
      readModel.failure = new Refusal('overloaded')
      return Promise.resolve(nothing)
    },
    // The service's own reads never exceed the limit.
    requests: (operation) =>
      operation.parameters.some(({ name }) => name === 'Position') ? rightRequests(operation) : [],
  },
  // `PastFolds` and `EventQueries` refuse with this code.
  readModelRefuses('too_many_facts', folds),
  {
    name: 'the segment is being built',
    arrange: async (_service, send) => {
      await send('createEntity')
      await send('defineSegment', { body: byRule })
      return nothing
    },
    requests: all(
      rightRequests,
      of('evaluateRule', { body: { rule: { segment: 'x' }, external_ids: ['x'] } }),
      of('previewRule', { body: { rule, against: 'x' } }),
    ),
  },
  {
    name: 'there is no segment',
    arrange: async (_service, send) => {
      await send('createEntity')
      return nothing
    },
    requests: of('explainSegment', {}),
  },
  { name: 'no such segment', requests: of('previewRule', { body: { rule, against: 'y' } }) },
  { name: 'no such property', requests: of('listEntities', { query: 'property=/a&is=a' }) },
]

const other = { path: { key: 'y' } }

const ofSegments: readonly FaultCondition[] = [
  {
    name: 'the kind differs',
    arrange: (_service, send) => seedSegment(send),
    requests: of('defineSegment', { body: byRule }),
  },
  {
    name: 'the version is another one',
    arrange: (_service, send) => seedSegment(send),
    requests: withHeaders({ 'if-match': '"9"' }),
  },
  {
    name: 'another segment names it',
    arrange: async (_service, send) => {
      await send('defineSegment', { ...other, body: byHand })
      await send('defineSegment', { body: { ...byRule, rule: { segment: 'y' } } })
      return nothing
    },
    requests: of('retireSegment', other),
  },
  {
    name: 'there are too many',
    arrange: ({ logged }) => {
      const { example } = factTable.SegmentDefined
      const { rule: _rule, ...data } = example.data
      const facts = numbered(200).map((segment): Fact => ({
        ...example,
        data: { ...data, segment, version: 1, kind: 'hand' },
      }))
      return storeAll(logged, segmentsStream, facts)
    },
    requests: of('defineSegment', {}),
  },
]

function definedWebhook(webhook: string): Fact {
  const { example } = factTable.WebhookDefined
  return { ...example, data: { ...example.data, webhook } }
}

/** Stores a webhook as a process with another master key defines it. */
function defineElsewhere({ logged }: HttpService): Promise<Path> {
  return storeAll(logged, webhooksStream, [definedWebhook('x')])
}

const ofWebhooks: readonly FaultCondition[] = [
  {
    name: 'the webhook has another secret',
    arrange: defineElsewhere,
    requests: all(of('testWebhook', {}), of('rotateWebhookSecret', {})),
  },
  { name: 'there is no such webhook', requests: of('removeWebhook', { path: { key: 'y' } }) },
  {
    name: 'there is no read model',
    parts: { reads: false },
    arrange: defineElsewhere,
    requests: all(
      of('defineWebhook', { path: { key: 'new' } }),
      of('resumeWebhook', { body: { from: 'now' } }),
      of('replayWebhook', {}),
    ),
  },
  {
    name: 'the store has another fact at the place',
    arrange: defineElsewhere,
    requests: all(
      of('defineWebhook', { path: { key: 'new' }, body: { url, from: unknownPlace } }),
      of('resumeWebhook', { body: { from: unknownPlace } }),
      of('replayWebhook', { body: { from: unknownPlace } }),
    ),
  },
  {
    name: 'there is no such entity',
    requests: of('defineWebhook', { body: { url, entity: 'nobody' } }),
  },
  {
    name: 'there are too many webhooks',
    arrange: ({ logged }) => storeAll(logged, webhooksStream, numbered(50).map(definedWebhook)),
    requests: of('defineWebhook', {}),
  },
]

export const faultConditions: readonly FaultCondition[] = [
  ...ofEdge,
  ...ofStore,
  ...ofKeys,
  ...ofReads,
  ...ofSegments,
  ...ofWebhooks,
]
