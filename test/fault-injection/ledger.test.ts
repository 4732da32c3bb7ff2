import { beforeEach, describe, expect, test } from '@jest/globals'
import type { FoundFact } from '../../fault-injection/found-facts.js'
import { Ledger } from '../../fault-injection/ledger.js'
import { Random } from '../../fault-injection/random.js'
import {
  eventName,
  propertiesOf,
  unsetNames,
  type LoadRequest,
} from '../../fault-injection/requests.js'
import type { RawReply } from '../support/raw-connection.js'

const id = (serial: number) => `01a1ffb0-0000-7000-8000-${String(serial).padStart(12, '0')}`
const time = '2026-11-20T09:30:00.000Z'

let ledger: Ledger
let request: LoadRequest
beforeEach(() => {
  ledger = new Ledger()
  request = ledger.make('event', 'ada', true)
})

function stored(
  { serial, entity }: LoadRequest,
  changed: object = {},
  headers: Readonly<Record<string, string>> = {},
): RawReply {
  const data = {
    id: id(serial),
    entity_external_id: entity,
    name: eventName,
    properties: propertiesOf(serial, ''),
    timestamp: time,
    ...changed,
  }
  const position = String(100 + serial)
  return { status: 201, headers: { position, ...headers }, body: JSON.stringify({ data }) }
}

function fault(status: number, code: string, headers = {}): RawReply {
  return { status, headers, body: JSON.stringify({ error: { code } }) }
}

function fact({ serial, entity, keyed }: LoadRequest, changed: object = {}): FoundFact {
  const properties = propertiesOf(serial, '')
  const data = { entityExternalId: entity, name: eventName, properties, recordedAt: time }
  return {
    stream: `entity-${entity}`,
    id: id(serial),
    data: JSON.stringify({ ...data, ...changed }),
    metadata: JSON.stringify(keyed ? { idempotencyKey: 'x' } : {}),
  }
}

async function settled(...facts: readonly FoundFact[]) {
  const { faults, ...numbers } = await ledger.settle(inTurn(facts))
  expect(faults.length > 0).toBe(numbers.wrong + numbers.lost + numbers.doubled > 0)
  return numbers
}

async function* inTurn(facts: readonly FoundFact[]): AsyncIterable<FoundFact> {
  for (const one of facts) yield await Promise.resolve(one)
}

const good = { tried: 1, acknowledged: 1, found: 1, doubled: 0, lost: 0, wrong: 0 }
const later = { 'retry-after': '1' }

test('a request that is acknowledged and stored once is correct', async () => {
  ledger.answered(request, stored(request))
  expect(await settled(fact(request))).toEqual(good)
})

test('a request that is acknowledged and not stored is lost', async () => {
  ledger.answered(request, stored(request))
  expect(await settled()).toEqual({ ...good, found: 0, lost: 1 })
})

test('a request that is stored twice is doubled', async () => {
  ledger.answered(request, stored(request))
  const again = { ...fact(request), id: id(7) }
  expect(await settled(fact(request), again)).toMatchObject({ found: 1, doubled: 1 })
})

test('a request without a response, or with an unknown outcome, may be stored or not', async () => {
  ledger.unanswered(request)
  ledger.unanswered(ledger.make('event', 'ada', false))
  const unknown = [ledger.make('event', 'ada', true), ledger.make('event', 'ada', false)]
  for (const one of unknown) ledger.answered(one, fault(504, 'outcome_unknown'))
  const found = [request, ...unknown.slice(0, 1)].map((one) => fact(one))
  expect(await settled(...found)).toEqual({ ...good, tried: 4, acknowledged: 0, found: 2 })
})

test('a request that was certainly not stored must not be found', async () => {
  ledger.answered(request, fault(503, 'store_unavailable', later))
  expect(await settled(fact(request))).toMatchObject({ acknowledged: 0, wrong: 1 })
})

test('a request that was refused after an unknown outcome may be found', async () => {
  ledger.unanswered(request)
  ledger.answered(request, fault(503, 'store_unavailable', later))
  expect(await settled(fact(request))).toMatchObject({ wrong: 0 })
})

test.each([
  ['a refusal without Retry-After', fault(503, 'overloaded')],
  ['a 503 that says unknown', fault(503, 'outcome_unknown', later)],
  ['a 504 that says refused', fault(504, 'store_unavailable', later)],
  ['a mistake of the service', fault(500, 'internal_error')],
  ['a status for another request', fault(404, 'entity_not_found')],
])('%s is wrong', async (_what, reply) => {
  ledger.answered(request, reply)
  expect(await settled()).toMatchObject({ wrong: 1 })
})

test.each([
  ['another entity', { entity_external_id: 'bob' }],
  ['other properties', { properties: propertiesOf(7, '') }],
  ['no id', { id: undefined }],
])('a reply with %s is wrong', async (_what, changed) => {
  ledger.answered(request, stored(request, changed))
  expect(await settled(fact(request))).toMatchObject({ wrong: 1 })
})

test.each([
  ['another time', { recordedAt: '2026-11-20T09:30:00.001Z' }],
  ['other properties', { properties: { ...propertiesOf(0, ''), price: 1 } }],
])('a fact with %s than was answered is wrong', async (_what, changed) => {
  ledger.answered(request, stored(request))
  expect(await settled(fact(request, changed))).toMatchObject({ wrong: 1 })
})

test('a repeated request gets the first response, marked as replayed', async () => {
  const replayed = { 'idempotency-replayed': 'true' }
  ledger.answered(request, stored(request))
  ledger.answered(request, stored(request, {}, replayed))
  ledger.answered(request, stored(request))
  ledger.answered(request, stored(request, { id: id(7) }, replayed))
  expect(await settled(fact(request))).toMatchObject({ acknowledged: 1, wrong: 2 })
})

test('positions grow in storage order', async () => {
  const second = ledger.make('event', 'ada', true)
  ledger.answered(request, stored(request))
  ledger.answered(second, stored(second))
  expect(await settled(fact(second), fact(request))).toMatchObject({ found: 2, wrong: 1 })
})

test('a fact without a request is a fault', async () => {
  const stranger = { ...request, serial: 7 }
  expect(await settled(fact(stranger))).toMatchObject({ found: 0, wrong: 1 })
})

test('a sample of acknowledged keyed requests has each request at most once', () => {
  ledger.answered(request, stored(request))
  ledger.make('event', 'ada', true)
  const unkeyed = ledger.make('event', 'ada', false)
  ledger.answered(unkeyed, stored(unkeyed))
  expect(ledger.someKeyed(64, new Random(1))).toEqual([request])
})

describe('an upsert', () => {
  let upsert: LoadRequest
  beforeEach(() => {
    ledger = new Ledger()
    upsert = ledger.make('upsert', 'ada', true)
  })
  const properties = propertiesOf(0, '')
  const replayed = { 'idempotency-replayed': 'true' }

  const reply = (status: number, data: object, headers = {}): RawReply => ({
    status,
    headers: { position: '100', ...headers },
    body: JSON.stringify({ data: { external_id: 'ada', ...data } }),
  })
  const changed = { set: properties, unset: unsetNames, updated_at: time }
  const created = { properties, created_at: time }
  const stored = (data: object): FoundFact => ({
    ...fact(upsert),
    data: JSON.stringify({ externalId: 'ada', ...data }),
  })
  const change = stored.bind(undefined, { set: properties, unset: unsetNames, changedAt: time })
  const creation = stored.bind(undefined, { properties, createdAt: time })

  test.each([
    ['changes', reply(200, changed), reply(200, changed, replayed), change],
    ['creates', reply(201, created), reply(201, created, replayed), creation],
  ])('%s, and is answered alike again', async (_what, first, repeat, found) => {
    ledger.answered(upsert, first)
    ledger.answered(upsert, repeat)
    expect(await settled(found())).toEqual(good)
  })

  test.each([
    ['a change with 201', reply(201, changed), change],
    ['a creation with 200', reply(200, created), creation],
    ['a change of other names', reply(200, { ...changed, unset: ['trial'] }), change],
    ['a change, and stored as a creation', reply(200, changed), creation],
    ['a creation, and stored as a change', reply(201, created), change],
  ])('that is answered as %s is wrong', async (_what, first, found) => {
    ledger.answered(upsert, first)
    expect(await settled(found())).toMatchObject({ wrong: 1 })
  })

  test('is a fault when its repeat has another status', async () => {
    ledger.answered(upsert, reply(201, created))
    ledger.answered(upsert, reply(200, changed, replayed))
    expect(await settled(creation())).toMatchObject({ wrong: 1 })
  })

  test('is doubled when it both created and changed an entity', async () => {
    ledger.answered(upsert, reply(201, created))
    expect(await settled(creation(), change())).toMatchObject({ doubled: 1 })
  })
})

describe('a void', () => {
  let event: LoadRequest
  let voiding: LoadRequest
  beforeEach(() => {
    ledger = new Ledger()
    event = ledger.makeVoided('ada')
    ledger.answered(event, stored(event))
    voiding = ledger.makeVoid(event)
  })

  const voided = (data: object = {}, headers = {}): RawReply => ({
    status: 200,
    headers: { position: '200', ...headers },
    body: JSON.stringify({ data: { id: voiding.voids, voided_at: time, ...data } }),
  })
  const voidFact = (factId: string, data: object = {}): FoundFact => ({
    ...fact(voiding),
    id: factId,
    data: JSON.stringify({
      externalId: 'ada',
      eventId: voiding.voids,
      name: eventName,
      recordedAt: time,
      voidedAt: time,
      ...data,
    }),
  })
  const both = { ...good, tried: 2, acknowledged: 2, found: 2 }

  test('names the event that was answered, and is stored once', async () => {
    expect(voiding.voids).toBe(id(event.serial))
    ledger.answered(voiding, voided())
    ledger.answered(voiding, voided({}, { 'idempotency-replayed': 'true' }))
    expect(ledger.acknowledgedVoids).toBe(1)
    expect(await settled(fact(event), voidFact(id(7)))).toEqual(both)
  })

  test('that is stored twice is doubled', async () => {
    ledger.answered(voiding, voided())
    const facts = [fact(event), voidFact(id(7)), voidFact(id(8))]
    expect(await settled(...facts)).toMatchObject({ found: 2, doubled: 1 })
  })

  test('that is acknowledged and not stored is lost', async () => {
    ledger.answered(voiding, voided())
    expect(await settled(fact(event))).toMatchObject({ found: 1, lost: 1 })
  })

  test('may be refused while the read model lags, and is then not stored', async () => {
    ledger.answered(voiding, fault(503, 'read_model_behind', later))
    expect(await settled(fact(event))).toMatchObject({ wrong: 0, lost: 0 })
  })

  test.each([
    ['an event that is not found', () => fault(404, 'event_not_found')],
    ['the void of another event', () => voided({ id: id(9) })],
  ])('that is answered with %s is wrong', async (_what, reply) => {
    ledger.answered(voiding, reply())
    expect(await settled(fact(event), voidFact(id(7)))).toMatchObject({ wrong: 1 })
  })

  test.each([
    ['another entity', { externalId: 'bob' }],
    ['another time', { voidedAt: '2026-11-20T09:30:00.001Z' }],
    ['another event', { eventId: id(9) }],
  ])('that is stored with %s is wrong', async (_what, data) => {
    ledger.answered(voiding, voided())
    const { wrong, lost } = await settled(fact(event), voidFact(id(7), data))
    expect(wrong).toBeGreaterThan(0)
    expect(lost).toBe('voidedAt' in data ? 0 : 1)
  })

  test('of an event means that a read may leave the event out', () => {
    expect(ledger.someReadable(new Random(1))?.serials).toEqual([])
  })
})

test('an event is refused as wrong with a code that only voids have', async () => {
  ledger.answered(request, fault(503, 'read_model_behind', later))
  expect(await settled()).toMatchObject({ wrong: 1 })
})

test.each([
  ['a creation', 'entity', { set: {}, unset: unsetNames, changedAt: time }],
  ['an event', 'event', { properties: {}, createdAt: time }],
] as const)('%s that is stored as another fact is wrong', async (_what, kind, data) => {
  ledger = new Ledger()
  const sent = ledger.make(kind, 'ada', false)
  ledger.unanswered(sent)
  const [properties, set] = [propertiesOf(0, ''), propertiesOf(0, '')]
  const text = JSON.stringify({
    externalId: 'ada',
    ...data,
    ...('set' in data ? { set } : { properties }),
  })
  expect(await settled({ ...fact(sent), data: text })).toMatchObject({ wrong: 1 })
})
