import { afterEach, describe, expect, it } from '@jest/globals'
import type { EventStore } from '../../../../src/application/recording/ports/event-store.js'
import { trackUnknownOutcomes } from '../../../../src/application/recording/track-unknown-outcomes.js'
import { postBatch, record } from '../../../support/batch.js'
import { defer } from '../../../support/eventstoredb/deferred.js'
import type { EventStoreDouble } from '../../../support/eventstoredb/event-store-double.js'
import type { Gate } from '../../../support/eventstoredb/gate.js'
import { expectFault } from '../../../support/fault-expectation.js'
import { httpService, type HttpService } from '../../../support/http-service.js'
import { post } from '../../../support/post.js'
import { movedClock } from '../moved-clock.js'
import { asAnother, bench, longTimeoutMs } from '../open-store.js'

const { start, open } = bench()
const clock = movedClock()
const services: HttpService[] = []
afterEach(async () => {
  await Promise.all(services.splice(0).map(({ server }) => server.close()))
})

/** Creates the service as the program does with READ_MODEL=off. */
function serve(store: EventStore): HttpService {
  const service = httpService({ eventStore: () => trackUnknownOutcomes(store), reads: false })
  services.push(service)
  return service
}

const upsert = ({ server }: HttpService, id: string, key?: string) =>
  post(
    server,
    '/events',
    { entity_external_id: id, name: 'login', upsert: true },
    key === undefined ? {} : { 'idempotency-key': key },
  )

const typesIn = (double: EventStoreDouble, id: string) =>
  double.records(`entity-${id}`).map(({ type }) => type)
const both = ['EntityCreated', 'EventRecorded']

type Reply = Awaited<ReturnType<typeof upsert>>
const shown = ({ statusCode, body, headers }: Reply) => [statusCode, body, headers['position']]

describe('an event with upsert', () => {
  it.each([undefined, 'key'])(
    'creates a missing entity, and no existing one, key %s',
    async (key) => {
      const double = await start()
      const service = serve(open(double.connectionString))
      expect((await upsert(service, 'ada', key)).statusCode).toBe(201)
      expect(typesIn(double, 'ada')).toEqual(both)
      expect((await upsert(service, 'ada', key && 'other')).statusCode).toBe(201)
      expect(typesIn(double, 'ada')).toEqual([...both, 'EventRecorded'])
    },
  )

  it.each([undefined, 'key'])('about a tombstoned entity is a conflict, key %s', async (key) => {
    const double = await start()
    const service = serve(open(double.connectionString))
    await post(service.server, '/entities', { external_id: 'ada' })
    await asAnother(double, (client) => client.tombstoneStream('entity-ada'))
    expectFault(await upsert(service, 'ada', key), 409, 'entity_exists')
  })

  it.each([undefined, 'key'])(
    'about an entity whose stream was soft-deleted creates it again, which readers see later, key %s',
    async (key) => {
      const double = await start({ commitDelayMs: 50 })
      const service = serve(open(double.connectionString))
      await post(service.server, '/entities', { external_id: 'ada' })
      await asAnother(double, (client) => client.deleteStream('entity-ada'))
      expect((await upsert(service, 'ada', key)).statusCode).toBe(201)
      // The log also contains the facts of the deleted stream.
      expect(typesIn(double, 'ada')).toEqual(['EntityCreated', ...both])
    },
  )

  it('in many concurrent processes creates the entity once, and all events are recorded', async () => {
    const double = await start()
    const three = [1, 2, 3].map(() => serve(open(double.connectionString)))
    const sent = three.flatMap((service) => [1, 2, 3].map(() => upsert(service, 'ada')))
    const replies = await Promise.all(sent)
    expect(replies.map(({ statusCode }) => statusCode)).toEqual(Array(9).fill(201))
    expect(typesIn(double, 'ada')).toEqual([
      'EntityCreated',
      ...Array<string>(9).fill(both[1] ?? ''),
    ])
  })

  it('twice in one batch behaves like two requests', async () => {
    const double = await start()
    const service = serve(open(double.connectionString))
    const { short } = await postBatch(service.server, [
      record('ada', { upsert: true }),
      record('ada', { upsert: true, idempotency_key: 'key' }),
      record('ada', { upsert: true, idempotency_key: 'key' }),
    ])
    expect(short).toEqual(['201', '201', '201 replayed'])
    expect(typesIn(double, 'ada')).toEqual([...both, 'EventRecorded'])
  })
})

describe('an event with upsert and an unknown outcome gets 504, and its repeat records it once', () => {
  const stalls = ['beforeWrite', 'afterWrite'] as const

  /** Returns the reply to a request that stalls at the gate until its timeout. */
  async function replyAfterTimeout(gate: Promise<Gate>, sent: Promise<Reply>): Promise<Reply> {
    await (
      await gate
    ).reached
    clock.advance(longTimeoutMs)
    return sent
  }

  it.each(stalls)('when its creation stalls %s', async (at) => {
    const double = await start()
    const gate = double.faults.hold(at, { times: Infinity })
    const service = serve(open(double.connectionString))
    const sent = upsert(service, 'ada', 'key')
    expect((await replyAfterTimeout(Promise.resolve(gate), sent)).statusCode).toBe(504)
    double.faults.clear()
    await expectOnce(double)
  })

  it.each(stalls)('when the event stalls %s, after its creation', async (at) => {
    const double = await start()
    const store = open(double.connectionString)
    const held = defer<Gate>()
    const service = serve({
      append: async (append) => {
        const receipt = await store.append(append)
        if (append.expected === 'new') held.resolve(double.faults.hold(at, { times: Infinity }))
        return receipt
      },
    })
    const sent = upsert(service, 'ada', 'key')
    expect((await replyAfterTimeout(held.promise, sent)).statusCode).toBe(504)
    double.faults.clear()
    await expectOnce(double)
  })

  it('and the repeat gets 504 and not 503 when the store is unreachable', async () => {
    const double = await start()
    const service = serve(open(double.connectionString))
    const gate = double.faults.hold('afterWrite', { times: Infinity, stream: 'entity-ada' })
    const sent = upsert(service, 'ada', 'key')
    expect((await replyAfterTimeout(Promise.resolve(gate), sent)).statusCode).toBe(504)
    double.faults.clear()
    await double.refuseConnections()
    expect((await upsert(service, 'ada', 'key')).statusCode).toBe(504)
    expect((await upsert(service, 'bob', 'key')).statusCode).toBe(503)
    await double.listen()
    expect(typesIn(double, 'bob')).toEqual([])
  })

  async function expectOnce(double: EventStoreDouble): Promise<void> {
    const service = serve(open(double.connectionString))
    const first = await upsert(service, 'ada', 'key')
    expect(first.statusCode).toBe(201)
    expect(shown(await upsert(service, 'ada', 'key'))).toEqual(shown(first))
    expect(typesIn(double, 'ada')).toEqual(both)
  }
})
