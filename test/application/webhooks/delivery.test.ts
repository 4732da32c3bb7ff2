import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { RefusalAt } from '../../../src/application/ports/refusal.js'
import { Semaphore } from '../../../src/application/semaphore.js'
import {
  accepted,
  DeliveryBench,
  refusedWith,
  unreachable,
} from '../../support/webhooks/delivery-bench.js'
import { settle, until } from '../../support/webhooks/until.js'

const second = 1_000
const hour = 3_600_000
let bench: DeliveryBench

beforeEach(() => {
  bench = new DeliveryBench()
})
afterEach(async () => {
  await bench.delivery?.stop(true)
  expect(bench.failures).toEqual([])
})

/** Creates an entity and records events about it, in order. */
async function history(externalId: string, ...names: readonly string[]): Promise<void> {
  await bench.create(externalId)
  for (const name of names) await bench.record(externalId, name)
}

const position = () => Number(bench.delivery?.progress.position)

describe('a delivery', () => {
  it('is not held up by bodies that wait for a hanging receiver of another webhook', async () => {
    for (let at = 0; at < 8; at += 1) await bench.create(`e${String(at)}`)
    // One body of each webhook fits at a time, and the others wait.
    bench.bodies = new Semaphore({ most: 1_000_000, mostOfOne: 1, queued: Infinity })
    const startAs = (key: string) =>
      bench.start({ key, sealedUrl: bench.secrets.seal(key, 'https://mail.example/hook') })
    const hanging = startAs('hanging')
    await until(() => bench.open.length === 1)
    await settle()
    startAs('healthy')
    await until(() => bench.sent.length === 2)
    expect(bench.sent.map(({ message }) => message.webhook)).toEqual(['hanging', 'healthy'])
    bench.answer = () => accepted
    while (bench.open.length > 0) bench.reply(accepted)
    await until(() => bench.sent.length === 16)
    await hanging.stop(true)
  })

  it('sends the facts of an entity one after the other, with both ids of the entity', async () => {
    await history('ada', 'a', 'b')
    bench.start()
    await until(() => bench.open.length === 1)
    await settle()
    expect(bench.names).toEqual(['EntityCreated'])
    const entityId = bench.sent[0]?.body.id
    bench.answer = () => accepted
    bench.reply(accepted)
    await until(() => bench.names.length === 3)
    expect(bench.names).toEqual(['EntityCreated', 'a', 'b'])
    for (const { body } of bench.sent) {
      expect(body.data).toMatchObject({ entity_id: entityId, external_id: 'ada' })
    }
    await until(() => position() === 3)
  })

  it('sends facts of 16 entities at a time, and its cursor never passes an undelivered fact', async () => {
    for (let at = 0; at < 20; at += 1) await bench.create(`e${String(at)}`)
    bench.start()
    await until(() => bench.open.length === 16)
    await settle()
    expect(bench.open).toHaveLength(16)
    const [first] = bench.open.splice(0, 1)
    bench.answer = () => accepted
    while (bench.open.length > 0) bench.reply(accepted)
    await until(() => bench.sent.length === 20)
    await settle()
    expect(position()).toBe(0)
    first?.reply(accepted)
    await until(() => position() === 20)
  })

  it('sends new facts as soon as the read model has applied them', async () => {
    bench.answer = () => accepted
    bench.start()
    await settle()
    await bench.create('ada')
    await until(() => bench.names.length === 1)
    expect(bench.delivery?.progress).toMatchObject({ delivered: { status: 204 } })
  })

  it('sends only facts that the filter matches, and moves its cursor past the others', async () => {
    await history('ada', 'login', 'purchase', 'login')
    bench.answer = () => accepted
    bench.start({ filter: { events: ['purchase'] } })
    await until(() => position() === 4)
    expect(bench.names).toEqual(['purchase'])
  })

  it('sends the voids of the events that the filter names, and nothing else', async () => {
    await history('ada')
    const events = [await bench.record('ada', 'login'), await bench.record('ada', 'purchase')]
    for (const event of events) await bench.void(event)
    bench.answer = () => accepted
    bench.start({ filter: { types: ['EventVoided'], events: ['purchase'] } })
    await until(() => position() === 5)
    expect(bench.sent.map(({ body }) => body)).toMatchObject([
      {
        type: 'EventVoided',
        position: '5',
        data: { external_id: 'ada', event_id: events[1]?.id, name: 'purchase' },
      },
    ])
    expect(bench.sent[0]?.body).not.toHaveProperty('profile')
  })

  it('sends a void with the profile that counts the event no more', async () => {
    await history('ada', 'login')
    await bench.void(await bench.record('ada', 'purchase'))
    bench.answer = () => accepted
    bench.start({ filter: { types: ['EventVoided'] }, profile: true })
    await until(() => bench.sent.length === 1)
    expect(bench.sent[0]?.body).toMatchObject({
      type: 'EventVoided',
      profile: { event_count: 1 },
    })
  })

  it('continues at the recorded progress of its own start, and at its start after a replay', async () => {
    await history('ada', 'a', 'b', 'c')
    const fact = bench.store.facts[1]?.id ?? ''
    const recorded = { webhook: 'mail', start: 'the definition', position: '2', fact }
    bench.answer = () => accepted
    await bench.start({}, recorded).stop()
    await bench.start({}, recorded).stop()
    bench.start({ start: { position: '3', fact: '', setBy: 'a replay' } }, recorded)
    await until(() => bench.names.includes('c'))
    expect(bench.names.at(-1)).toBe('c')
    await until(() => position() === 4)
  })

  it('adds a profile that is at least as new as the fact', async () => {
    await bench.create('ada', { plan: 'paid' })
    bench.answer = () => accepted
    bench.start({ profile: true })
    await until(() => bench.sent.length === 1)
    expect(bench.sent[0]?.body.profile).toMatchObject({
      properties: { plan: 'paid' },
      event_count: 0,
      segments: [],
    })
  })

  it('sends nothing while the process may not send', async () => {
    bench.maySend = false
    await bench.create('ada')
    bench.start()
    await settle()
    expect(bench.sent).toEqual([])
  })
})

describe('a receiver that refuses a fact', () => {
  it.each([400, 404, 500, 503, 301])(
    'with %d delays the entity of this fact alone, for 1 s, 2 s, 4 s, …',
    async (status) => {
      await history('ada', 'a')
      await history('eve', 'e')
      bench.answer = ({ body }) =>
        body.data['external_id'] === 'ada' ? refusedWith(status) : accepted
      bench.start()
      await until(() => bench.names.includes('e'))
      const attempts = () => bench.sent.filter(({ body }) => body.data['external_id'] === 'ada')
      expect(attempts()).toHaveLength(1)
      for (const [index, seconds] of [1, 2, 4].entries()) {
        bench.time.pass(seconds * second - 1)
        await settle()
        expect(attempts()).toHaveLength(index + 1)
        bench.time.pass(1)
        await until(() => attempts().length === index + 2)
      }
      expect(new Set(attempts().map(({ message }) => message.id)).size).toBe(1)
      expect(bench.delivery?.failing).toMatchObject({ status, since: '2026-11-20T09:30:00.000Z' })
      bench.answer = () => accepted
      bench.time.pass(8 * second)
      await until(() => bench.names.includes('a'))
      expect(bench.delivery?.failing).toBeUndefined()
    },
  )

  it('reads at most 1,000 facts ahead of it', async () => {
    await history('ada')
    for (let at = 0; at < 1_200; at += 1) await bench.create(`e${String(at)}`)
    bench.answer = ({ body }) => (body.data['external_id'] === 'ada' ? refusedWith(500) : accepted)
    bench.start()
    await until(() => bench.sent.length >= 900)
    await settle()
    expect(bench.sent.length).toBeLessThanOrEqual(1_000)
    expect(position()).toBe(0)
  })

  it('for 72 hours pauses its webhook', async () => {
    await history('ada')
    bench.answer = () => refusedWith(500)
    bench.start()
    await until(() => bench.sent.length === 1)
    bench.time.pass(72 * hour)
    await until(() => bench.delivery?.pauseCause === 'failing')
  })

  it('with 410 pauses its webhook at once', async () => {
    await history('ada', 'a')
    bench.answer = () => refusedWith(410)
    bench.start()
    await until(() => bench.delivery?.pauseCause === 'gone')
    bench.time.pass(hour)
    await settle()
    expect(bench.sent).toHaveLength(1)
  })
})

describe('a receiver that holds the whole webhook', () => {
  it.each([
    ['cannot be reached', unreachable, second],
    ['replies with 429', refusedWith(429), second],
    ['asks to wait', refusedWith(503, 90 * second), 90 * second],
    ['asks to wait for a day', refusedWith(429, 24 * hour), hour],
  ])('%s: everything waits, and then one request finds out', async (_name, outcome, waitMs) => {
    for (let at = 0; at < 5; at += 1) await bench.create(`e${String(at)}`)
    bench.start()
    await until(() => bench.open.length === 5)
    while (bench.open.length > 0) bench.reply(outcome)
    await settle()
    bench.time.pass(waitMs - 1)
    await settle()
    expect(bench.sent).toHaveLength(5)
    bench.time.pass(1)
    await until(() => bench.open.length === 1)
    await settle()
    expect(bench.open).toHaveLength(1)
    expect(bench.delivery?.failing).toBeDefined()
    bench.answer = () => accepted
    bench.reply(accepted)
    await until(() => position() === 5)
    expect(bench.delivery?.failing).toBeUndefined()
  })
})

describe('an erased entity', () => {
  it('has no fact delivered any more, not even one that was read before', async () => {
    await history('ada', 'a', 'b')
    bench.start()
    await until(() => bench.open.length === 1)
    const entityId = bench.sent[0]?.body.id ?? ''
    await bench.erase('ada', entityId)
    bench.answer = () => accepted
    bench.reply(accepted)
    await until(() => bench.names.includes('EntityErased'))
    expect(bench.names).toEqual(['EntityCreated', 'EntityErased'])
  })

  it('is reported to every webhook under the id of the erasure, and the 2xx confirms it', async () => {
    await history('ada')
    const entityId = bench.store.facts[0]?.id ?? ''
    await bench.erase('ada', entityId)
    bench.answer = () => accepted
    bench.start({ filter: { types: ['SegmentBuilt'] } })
    await until(() => bench.confirmed.length === 1)
    expect(bench.sent.map(({ message, body }) => [message.id, body.data])).toEqual([
      ['the-erasure', expect.objectContaining({ entity_id: entityId })],
    ])
    expect(bench.sent[0]?.body.data).not.toHaveProperty('external_id')
    expect(bench.confirmed).toEqual([{ webhook: 'mail', erasureId: 'the-erasure', position: '2' }])
  })
})

describe('a cursor that does not fit the store', () => {
  it('pauses the webhook when another fact is at its position', async () => {
    await history('ada')
    bench.start({ start: { position: '1', fact: 'another-id', setBy: 'x' } })
    await until(() => bench.delivery?.pauseCause === 'position_unknown')
    expect(bench.sent).toEqual([])
  })

  it('pauses the webhook when it is beyond the end of the store', async () => {
    bench.model.failure = new RefusalAt('position_unknown', 0)
    bench.start({ start: { position: '99', fact: 'any-id', setBy: 'x' } })
    await until(() => bench.delivery?.pauseCause === 'position_unknown')
    expect(bench.sent).toEqual([])
  })
})
