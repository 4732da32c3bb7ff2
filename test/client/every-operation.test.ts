import { describe, expect, it } from '@jest/globals'
import { z } from 'zod'
import { servedDocument } from '../support/served-document.js'
import { DossierError, replyOf, type Dossier } from '../../src/client/dossier.js'
import { fault, ScriptedService, success, type Step } from './scripted-service.js'

const parameterForm = z.object({
  $ref: z.string().optional(),
  in: z.string().optional(),
  name: z.string().optional(),
})
const operationForm = z.object({
  operationId: z.string(),
  parameters: z.array(parameterForm).default([]),
  responses: z.record(
    z.string(),
    z.object({ headers: z.record(z.string(), z.unknown()).default({}) }),
  ),
})
const { paths, components } = z
  .object({
    paths: z.record(z.string(), z.record(z.string(), operationForm)),
    components: z.object({ parameters: z.record(z.string(), parameterForm) }),
  })
  .parse(servedDocument)

const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation })),
)
type Described = (typeof operations)[number]

function parametersOf({ parameters }: Described, place: string) {
  return parameters
    .map((given) =>
      given.$ref === undefined ? given : components.parameters[given.$ref.split('/').at(-1) ?? ''],
    )
    .filter((one) => one?.in === place)
    .map((one) => one?.name ?? '')
}

const successes = ({ responses }: Described) =>
  Object.entries(responses).flatMap(([status, response]) =>
    Number(status) < 400 ? [response] : [],
  )

const write = { idempotencyKey: 'mine', requestId: 'r' }
const read = { wait: 0, requestId: 'r' }
const past = { as_of: '2026-11-01T00:00:00Z', known_at: '2026-11-02T00:00:00Z' }
const page = { cursor: 'c', limit: 2 }
const rule = { everyone: true } as const
const definition = { title: 'All', kind: 'rule', rule } as const

/** A call of each operation, with every parameter. */
const calls: Readonly<Record<string, (dossier: Dossier) => Promise<object | string>>> = {
  createEntity: ({ entities }) => entities.create('e', { properties: {} }, write),
  updateEntity: ({ entities }) =>
    entities.update('e', { set: {}, unset: ['a'], upsert: true }, write),
  getProfile: ({ entities }) => entities.get('e', past, read),
  listEntities: async ({ entities }) => {
    await entities.list({ ...page, entity_id: 'i' }, read).page()
    await entities.list({ ...page, property: '/email', is: 'x', properties: '/a' }, read).page()
    await entities.list({ ...page, order: 'created' }, read).page()
    return entities.list({ ...page, starts_with: 'e' }, read).page()
  },
  searchEntities: ({ entities }) =>
    entities
      .search({ include: 'voided', event: 'n', property: '/a', is: 'x', properties: '/b' }, read)
      .found(),
  getDictionary: (dossier) => dossier.dictionary(read),
  getTotals: (dossier) => dossier.totals({ since: past.as_of, until: past.known_at }, read),
  recordEvent: ({ entities }) =>
    entities.record(
      'e',
      { name: 'n', properties: {}, occurred_at: past.as_of, upsert: true },
      write,
    ),
  getTimeline: ({ entities }) => {
    const { as_of: since, known_at: until } = past
    const bounds = { ...past, since, until }
    const query = {
      ...page,
      ...bounds,
      by: 'recorded',
      order: 'asc',
      name: 'n',
      include: 'voided',
    } as const
    return entities.events('e', query, read).page()
  },
  voidEvent: ({ entities }) => entities.voidEvent('e', 'x', { reason: 'x' }, write),
  getHistory: ({ entities }) => {
    const { as_of: since, known_at: until } = past
    const query = { ...page, ...past, since, until, by: 'occurred', order: 'asc' } as const
    return entities.history('e', query, read).page()
  },
  writeBatch: async (dossier) => {
    const item = { op: 'create_entity', external_id: 'e' } as const
    for await (const result of dossier.batch([item], { requestId: 'r' })) return result
    return {}
  },
  readFacts: async (dossier) => {
    const filter = { after: 'start', types: ['TimePassed'], entity: 'e' } as const
    const facts = dossier.facts({ ...filter, ...read })
    await facts.page({ limit: 2 })
    return facts.page({ cursor: 'a', limit: 2 })
  },
  defineSegment: async ({ segments }) => {
    await segments.define('s', definition, { requestId: 'r', ifVersion: 'none' })
    return segments.define('s', definition, { requestId: 'r', ifVersion: 3 })
  },
  retireSegment: ({ segments }) => segments.retire('s', { requestId: 'r', ifVersion: 'any' }),
  getSegment: ({ segments }) => segments.get('s', read),
  listSegments: ({ segments }) => segments.list(page, read).page(),
  listSegmentVersions: ({ segments }) => segments.versions('s', page, read).page(),
  listMembers: ({ segments }) => segments.members('s', { ...page, properties: '/a' }, read).page(),
  addToSegment: ({ segments }) => segments.add('s', 'e', { reason: 'x' }, write),
  removeFromSegment: ({ segments }) => segments.remove('s', 'e', { reason: 'x' }, write),
  getEntitySegments: ({ entities }) => entities.segments('e', past, read),
  explainSegment: ({ segments }) => segments.explain('s', 'e', past, read),
  evaluateRule: ({ segments }) => segments.evaluate({ rule, external_ids: ['e'], ...past }, read),
  listMemberChanges: ({ segments }) =>
    segments.changes('s', { ...page, since: past.as_of, until: past.known_at }, read).page(),
  getSegmentCurve: ({ segments }) =>
    segments.curve('s', { since: past.as_of, until: past.known_at }, read),
  previewRule: ({ segments }) => segments.preview({ rule, against: 's', sample: 2 }, read).result(),
  eraseEntity: async ({ erasures }) => {
    const asked = { suppress: true, recipients: ['m'], reference: 'r' }
    await Promise.allSettled([erasures.dryRun('e', write)])
    return erasures.begin('e', asked, write)
  },
  listErasures: ({ erasures }) =>
    erasures.list({ ...page, external_id: 'e' }, { requestId: 'r' }).page(),
  getErasure: ({ erasures }) => erasures.get('x', { requestId: 'r' }),
  confirmErasure: ({ erasures }) =>
    erasures.confirm('x', { recipient: 'm', position: '5' }, { requestId: 'r' }),
  liftSuppression: ({ erasures }) => erasures.liftSuppression('x', { requestId: 'r' }),
  defineWebhook: async ({ webhooks }) => {
    await webhooks.define('s', { url: 'https://a.example' }, { requestId: 'r', ifVersion: 'none' })
    return webhooks.define('s', { url: 'https://a.example' }, { requestId: 'r', ifVersion: 3 })
  },
  removeWebhook: ({ webhooks }) => webhooks.remove('s', { requestId: 'r', ifVersion: 3 }),
  getWebhook: ({ webhooks }) => webhooks.get('s', { requestId: 'r' }),
  listWebhooks: ({ webhooks }) => webhooks.list({ requestId: 'r' }),
  listWebhookAttempts: ({ webhooks }) => webhooks.attempts('s', { requestId: 'r' }),
  pauseWebhook: ({ webhooks }) => webhooks.pause('s', { requestId: 'r' }),
  resumeWebhook: ({ webhooks }) => webhooks.resume('s', { from: 'now' }, { requestId: 'r' }),
  replayWebhook: ({ webhooks }) => webhooks.replay('s', { from: 'start' }, { requestId: 'r' }),
  testWebhook: ({ webhooks }) => webhooks.test('s', { requestId: 'r' }),
  rotateWebhookSecret: ({ webhooks }) => webhooks.rotateSecret('s', { requestId: 'r' }),
  getHealthLive: ({ service }) => service.live(),
  getHealthReady: ({ service }) => service.ready(),
  getHealthReadyReads: ({ service }) => service.readyReads(),
  getMetrics: ({ service }) => service.metrics(),
  getOpenApi: ({ service }) => service.openApi(),
  getKey: ({ service }) => service.key({ requestId: 'r' }),
  getStatus: ({ service }) => service.status({ requestId: 'r' }),
  getRefusals: ({ service }) =>
    service.refusals({ include: 'reads', cursor: 'a', limit: 2 }, { requestId: 'r' }),
}

/** Headers that HTTP and `fetch` add, and the header with the key. */
const byHttp = [
  ...[
    'accept',
    'accept-encoding',
    'accept-language',
    'authorization',
    'cache-control',
    'connection',
  ],
  ...['content-length', 'content-type', 'host', 'pragma', 'sec-fetch-mode', 'user-agent'],
]

const replyHeaders = {
  'request-id': 'r-9',
  position: '9',
  'idempotency-replayed': 'true',
  location: '/entities/e',
  etag: '"3"',
  'log-time': '2026-11-20T09:30:00.000Z',
  'retry-after': '1',
  'cache-control': 'no-store',
}

/** A stream with only its last frame. */
function resultFrame(headers: Readonly<Record<string, string>>): Step {
  return (response) => {
    response.writeHead(200, { ...headers, 'content-type': 'text/event-stream' })
    response.end('event: result\ndata: {}\n\n')
  }
}

describe('the client', () => {
  it('calls exactly the operations of the OpenAPI document', () => {
    expect(Object.keys(calls).sort()).toEqual(operations.map((one) => one.operationId).sort())
  })

  it.each(operations.map((one) => [one.operationId, one] as const))(
    '%s sends every parameter and header of the document, and returns every header of the reply',
    async (name, described) => {
      const data = { items: [], next_cursor: null, results: [{ status: 200 }], erasure: 'x' }
      const isStream = name === 'previewRule' || name === 'searchEntities'
      const step = isStream ? resultFrame(replyHeaders) : success(data, replyHeaders)
      const service = await ScriptedService.start(step)
      const answer = await calls[name]?.(service.client({ position: '5' }))
      const sent = service.received
      for (const { method, path } of sent) {
        expect(`${method.toLowerCase()} ${path}`).toBe(
          `${described.method} ${described.path.replace('{external_id}', 'e').replace('{key}', 's').replace('{erasure}', 'x').replace('{event_id}', 'x')}`,
        )
      }
      const query = sent.flatMap((one) => Object.keys(one.query))
      expect([...new Set(query)].sort()).toEqual(parametersOf(described, 'query').sort())
      const headers = new Set(sent.flatMap((one) => Object.keys(one.headers)))
      for (const one of byHttp) headers.delete(one)
      const listed = new Set(parametersOf(described, 'header').map((name) => name.toLowerCase()))
      // The client resumes a stream with `after`, which pages have too.
      listed.delete('last-event-id')
      expect([...headers].sort()).toEqual([...listed].sort())
      const replied = successes(described).flatMap((one) => Object.keys(one.headers))
      expect(Object.keys(replyHeaders)).toEqual(
        expect.arrayContaining(replied.map((header) => header.toLowerCase())),
      )
      if (typeof answer !== 'object' || name === 'writeBatch' || name === 'getOpenApi') return
      expect(replyOf(answer)).toEqual({
        status: 200,
        requestId: 'r-9',
        position: '9',
        replayed: true,
        location: '/entities/e',
        etag: '"3"',
        logTime: '2026-11-20T09:30:00.000Z',
        retryAfterMs: 1_000,
      })
    },
  )
})

/** Operations that are not retried, because the first reply counts: the state of the process, and streams. */
const answeredOnce = [
  'previewRule',
  'searchEntities',
  'getHealthLive',
  'getHealthReady',
  'getHealthReadyReads',
  'getMetrics',
  'getOpenApi',
  'getKey',
  'getStatus',
  'getRefusals',
]

describe('a call of the client', () => {
  it.each(operations.map((one) => [one.operationId] as const))(
    '%s is retried after 503, unless its first reply counts',
    async (name) => {
      const data = { items: [], next_cursor: null, results: [{ status: 200 }], erasure: 'x' }
      const busy = fault(503, 'overloaded', { 'retry-after': '0' })
      const service = await ScriptedService.start(busy, success(data))
      const retried: string[] = []
      const client = service.client({ onRetry: ({ code }) => retried.push(code) })
      const answer = await calls[name]?.(client).catch((error: unknown) => error)
      const isOnce = answeredOnce.includes(name)
      expect(retried).toEqual(isOnce ? [] : ['overloaded'])
      expect(answer instanceof DossierError).toBe(isOnce)
    },
  )
})
