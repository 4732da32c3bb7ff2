import { afterEach, describe, expect, it } from '@jest/globals'
import { z } from 'zod'
import type { EventStore } from '../../../../src/application/recording/ports/event-store.js'
import { trackUnknownOutcomes } from '../../../../src/application/recording/track-unknown-outcomes.js'
import type { EventStoreDouble } from '../../../support/eventstoredb/event-store-double.js'
import { byForm } from '../../../support/form.js'
import { httpService, type HttpService } from '../../../support/http-service.js'
import { patch, post } from '../../../support/post.js'
import { bench } from '../open-store.js'

const { start, open } = bench()
const shortMs = 400
const services: HttpService[] = []
afterEach(async () => {
  await Promise.all(services.splice(0).map(({ server }) => server.close()))
})

/** As the program puts it together. */
function serve(store: EventStore): HttpService {
  const service = httpService({ eventStore: () => trackUnknownOutcomes(store) })
  services.push(service)
  return service
}

const body = { set: { plan: 'paid' }, unset: ['trial'], upsert: true }
const upsert = ({ server }: HttpService, id: string, given: object = body) =>
  patch(server, id, given, { 'idempotency-key': 'key' })
const withoutUpsert = { ...body, upsert: false }

const typesIn = (double: EventStoreDouble, id: string) =>
  double.records(`entity-${id}`).map(({ type }) => type)
const shown = ({ statusCode, body: text, headers }: Awaited<ReturnType<typeof upsert>>) => [
  statusCode,
  text,
  headers['position'],
  headers.location,
]

describe('an upsert whose outcome is unknown is a 504, and its repeat is answered as the first would be', () => {
  // Of each kind one stall in the quick form: each step is met once, and each kind stalls once.
  const steps = byForm({
    quick: { creation: ['afterWrite'], change: ['beforeWrite'] } as const,
    thorough: {
      creation: ['beforeWrite', 'afterWrite'],
      change: ['beforeWrite', 'afterWrite'],
    } as const,
  })

  it.each(steps.creation)('a creation that stalls %s', async (at) => {
    const double = await start()
    const gate = double.faults.hold(at, { times: Infinity })
    const hasty = serve(open(double.connectionString, shortMs))
    expect((await upsert(hasty, 'ada')).statusCode).toBe(504)
    double.faults.clear()
    gate.release()
    const service = serve(open(double.connectionString))
    const first = await upsert(service, 'ada')
    const second = await upsert(service, 'ada', withoutUpsert)
    expect([first.statusCode, first.headers.location]).toEqual([201, '/entities/ada'])
    expect(shown(second)).toEqual(shown(first))
    expect(second.headers['idempotency-replayed']).toBe('true')
    expect(typesIn(double, 'ada')).toEqual(['EntityCreated'])
  })

  it.each(steps.change)('a change that stalls %s', async (at) => {
    const double = await start()
    const service = serve(open(double.connectionString))
    await post(service.server, '/entities', { external_id: 'ada' })
    const gate = double.faults.hold(at, { times: Infinity })
    const hasty = serve(open(double.connectionString, shortMs))
    expect((await upsert(hasty, 'ada')).statusCode).toBe(504)
    double.faults.clear()
    gate.release()
    const first = await upsert(service, 'ada')
    const second = await upsert(service, 'ada', withoutUpsert)
    expect(first.statusCode).toBe(200)
    expect(shown(second)).toEqual(shown(first))
    expect(typesIn(double, 'ada')).toEqual(['EntityCreated', 'EntityPropertiesChanged'])
  })

  it('is a 504 again, not a 503, when the store is gone at its repeat', async () => {
    const double = await start()
    const slow = serve(open(double.connectionString))
    await post(slow.server, '/entities', { external_id: 'ada' })
    const hasty = serve(open(double.connectionString, shortMs))
    double.faults.hold('afterWrite', { times: Infinity, stream: 'entity-ada' })
    expect((await upsert(hasty, 'ada')).statusCode).toBe(504)
    double.faults.clear()
    await double.refuseConnections()
    expect((await upsert(hasty, 'ada')).statusCode).toBe(504)
    expect((await upsert(hasty, 'bob')).statusCode).toBe(503)
    await double.listen()
    expect(typesIn(double, 'bob')).toEqual([])
  })
})

const answered = z.object({ data: z.object({ external_id: z.string() }) })

describe('upserts sent twice at once are stored once, and both are answered alike, through', () => {
  type Strike = (double: EventStoreDouble) => Promise<void> | void
  const count = byForm({ quick: 8, thorough: 100 })

  it.each([
    [
      'connections that are cut',
      ({ faults }) => {
        faults.drop('beforeWrite', { times: 3 })
        faults.drop('afterWrite', { times: 3 })
      },
    ],
    [
      'refusals, and commit time-outs of what is stored',
      ({ faults }) => {
        faults.refuse('server-not-ready', { times: 6 })
        faults.refuse('commit-timeout', { times: 6 }, 'afterWrite')
      },
    ],
    [
      'a restart that loses what was not committed',
      async (double) => {
        const before = double.faults.hold('beforeWrite', { times: 4 })
        await before.reached
        await double.restart({ uncommitted: 'lose' })
      },
    ],
  ] satisfies [string, Strike][])('%s', async (_, strike: Strike) => {
    const double = await start()
    const one = serve(open(double.connectionString))
    const two = serve(open(double.connectionString))
    const ids = Array.from({ length: count }, (_, n) => `e${String(n)}`)
    await Promise.all(
      ids
        .filter((_, n) => n % 2 === 0)
        .map((id) => post(one.server, '/entities', { external_id: id })),
    )
    const sent = Promise.all(
      ids.flatMap((id) => [one, two].map((service) => untilAnswered(service, id))),
    )
    await strike(double)
    const replies = await sent
    for (const [n, id] of ids.entries()) {
      const [first, second] = replies.slice(2 * n, 2 * n + 2)
      expect(first).toEqual(second)
      const changed = n % 2 === 0
      expect(first?.[0]).toBe(changed ? 200 : 201)
      expect(answered.parse(JSON.parse(String(first?.[1]))).data.external_id).toBe(id)
      expect(typesIn(double, id)).toEqual([
        'EntityCreated',
        ...(changed ? ['EntityPropertiesChanged'] : []),
      ])
    }
  })
})

async function untilAnswered(service: HttpService, id: string) {
  for (;;) {
    const reply = await upsert(service, id)
    if (reply.statusCode < 300) return shown(reply)
    expect([503, 504]).toContain(reply.statusCode)
  }
}
