import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { Dossier } from '../../src/client/dossier.js'
import { nextLook } from '../support/next-look.js'
import { sharedService } from '../support/shared-service.js'
import { StartedService } from '../support/started-service.js'
import { temporaryFolders } from '../support/temporary-folder.js'
import { quickOrThorough } from '../support/thoroughness.js'
import { WebhookReceiver } from '../support/webhooks/receiver.js'

const env = {
  READ_MODEL: 'data/read-model.db',
  WEBHOOK_INSECURE: 'on',
  WEBHOOK_PRIVATE: 'on',
}
/** Each round records events. The sender is killed between two rounds. */
const rounds = quickOrThorough({ quick: 2, thorough: 4 })
const services: StartedService[] = []
let receiver: WebhookReceiver

beforeEach(async () => {
  receiver = await WebhookReceiver.start()
})
afterEach(async () => {
  await Promise.all(services.splice(0).map((service) => service.end('SIGKILL')))
  await receiver.close()
})

async function start(place: string, more: Readonly<Record<string, string>> = {}) {
  const service = await StartedService.start(place, { ...env, ...more })
  services.push(service)
  return { service, client: clientOf(service) }
}

function clientOf({ origin: url, key }: StartedService): Dossier {
  return new Dossier({ url, key })
}

const ofType = (type: string) => receiver.received.filter((message) => message.type === type)

/** The tests below share a service. The last one kills it. */
describe('a webhook', () => {
  const started = sharedService(env)
  const shared = () => ({ service: started(), client: clientOf(started()) })

  it('gets every erasure and confirms it, and gets no fact of the entity after it', async () => {
    const { client } = shared()
    await client.webhooks.define('erased', { url: receiver.url, types: ['SegmentBuilt'] })
    await client.entities.create('ada')
    const { entity_id: entityId } = await client.entities.get('ada')
    const { erasure } = await client.erasures.begin('ada', { recipients: ['mirror'] })
    await receiver.when(() => receiver.received.length === 1)
    expect(receiver.received[0]).toMatchObject({
      messageId: erasure,
      type: 'EntityErased',
      data: { entity_id: entityId },
    })
    const placeOf = async () =>
      (await client.erasures.get(erasure)).places.find(({ place }) => place === 'webhook:erased')
    let place = await placeOf()
    while (place?.state !== 'confirmed') {
      await nextLook()
      place = await placeOf()
    }
    await client.webhooks.define('late', { url: receiver.url, from: 'start' })
    await receiver.when(() => receiver.received.length === 2)
    expect(receiver.received.map(({ type }) => type)).toEqual(['EntityErased', 'EntityErased'])
    for (const key of ['erased', 'late']) await client.webhooks.remove(key)
  }, 600_000)

  it('is paused by a request and by 410, resumes at its cursor, and replays', async () => {
    const { client } = shared()
    await client.webhooks.define('paused', { url: receiver.url, types: ['EntityCreated'] })
    receiver.status = 410
    await client.entities.create('bob')
    let shown = await client.webhooks.get('paused')
    while (shown.state !== 'paused') {
      await nextLook()
      shown = await client.webhooks.get('paused')
    }
    expect(shown.paused).toMatchObject({ by: 'receiver', reason: 'gone' })
    expect(shown.behind).toMatchObject({ facts: 1, more: false })
    receiver.status = 204
    await client.webhooks.resume('paused')
    await receiver.when(() => ofType('EntityCreated').length === 1)
    await client.webhooks.pause('paused')
    expect(await client.webhooks.replay('paused', { from: 'start' })).toMatchObject({
      state: 'paused',
      delivered_to: { position: '0' },
    })
    await client.webhooks.resume('paused')
    await receiver.when(() => ofType('EntityCreated').length === 2)
    expect(new Set(ofType('EntityCreated').map(({ messageId }) => messageId)).size).toBe(1)
    await client.webhooks.remove('paused')
  }, 600_000)

  it('tells signed who entered a segment, with external_id and profile', async () => {
    const { client } = shared()
    await client.segments.define('buyers', {
      title: 'Buyers',
      kind: 'rule',
      rule: { event: 'purchase' },
    })
    const { secret } = await client.webhooks.define('mail', {
      url: receiver.url,
      types: ['EntityEnteredSegment'],
      segments: ['buyers'],
      profile: true,
    })
    receiver.secret = secret
    expect(await client.webhooks.test('mail')).toMatchObject({ status: 204, error: null })
    const { entity_id: entityId } = await client.entities
      .create('eve', { properties: { plan: 'paid' } })
      .then(() => client.entities.get('eve'))
    await client.entities.record('eve', { name: 'purchase' })
    await receiver.when(() => ofType('EntityEnteredSegment').length === 1)
    expect(receiver.received.map(({ type }) => type)).toEqual([
      'webhook.test',
      'EntityEnteredSegment',
    ])
    expect(ofType('EntityEnteredSegment')[0]).toMatchObject({
      data: { entity_id: entityId, external_id: 'eve', segment: 'buyers', version: 1 },
      profile: { properties: { plan: 'paid' }, event_count: 1, segments: [{ key: 'buyers' }] },
    })
    expect(receiver.forged).toEqual([])
    await client.webhooks.remove('mail')
  }, 600_000)

  it('delivers every fact in order per entity, although its sender is killed again and again', async () => {
    let { service, client } = shared()
    const place = service.folder
    await client.webhooks.define('all', { url: receiver.url, types: ['EventRecorded'] })
    const names = Array.from({ length: 20 }, (_, at) => `e${String(at)}`)
    for (const name of names) await client.entities.create(name)
    for (let round = 0; round < rounds; round += 1) {
      const items = names.flatMap((name) =>
        [0, 1, 2].map((at) => ({
          op: 'record_event' as const,
          entity_external_id: name,
          name: String(round * 3 + at),
        })),
      )
      for await (const { error } of client.batch(items)) expect(error).toBeUndefined()
      if (round === rounds - 1) break
      await receiver.when(() => receiver.received.length > round * 50 + 5)
      await service.end('SIGKILL')
      const restarted = await start(place)
      service = restarted.service
      client = restarted.client
    }
    const eventsOf = (name: string) =>
      receiver.received
        .filter(({ data }) => data['external_id'] === name)
        .map(({ data }) => Number(data['name']))
    await receiver.when(() => names.every((name) => eventsOf(name).includes(rounds * 3 - 1)))
    for (const name of names) {
      const events = eventsOf(name)
      expect(new Set(events).size).toBe(rounds * 3)
      // An event may come again after a kill, but never before an event that precedes it.
      let highest = -1
      for (const event of events) {
        expect(event).toBeLessThanOrEqual(highest + 1)
        highest = Math.max(highest, event)
      }
    }
  }, 600_000)
})

/** The tests below run in order, and each continues in the folder of the previous one. */
describe('a webhook, from one start of its service to the next', () => {
  const place = temporaryFolders(afterAll)
  let data: string
  let hook: WebhookReceiver

  beforeAll(async () => {
    data = place()
    hook = await WebhookReceiver.start()
  })
  afterAll(() => hook.close())

  it('leaves no secret and no URL in the log, in the facts, in the metrics and in the files', async () => {
    const { service, client } = await start(data)
    const { secret = '' } = await client.webhooks.define('all', { url: hook.url })
    await client.entities.create('ada')
    await hook.when(() => hook.received.length === 1)
    hook.status = 500
    await client.entities.create('bob')
    const rotated = await client.webhooks.rotateSecret('all')
    await client.webhooks.test('all')
    const facts = JSON.stringify(await client.facts().page({ limit: 1_000 }))
    const shown = JSON.stringify([
      await client.webhooks.list(),
      await client.webhooks.attempts('all'),
    ])
    const metrics = await (await fetch(`${service.origin}/metrics`)).text()
    await service.end()
    const files = ['dossier.db', 'read-model.db']
      .map((name) => readFileSync(join(data, 'data', name), 'latin1'))
      .join('')
    for (const hidden of ['s3cret-token', secret, rotated.secret]) {
      for (const seen of [service.lines.join('\n'), facts, shown, metrics, files]) {
        expect(seen.includes(hidden)).toBe(false)
      }
    }
    expect(facts).toContain(new URL(hook.url).origin)
  }, 600_000)

  it('continues at its cursor after a clean stop, and repeats nothing', async () => {
    hook.status = 204
    const { service, client } = await start(data)
    await client.entities.create('eve')
    const created = () => hook.received.map(({ data }) => data['external_id'])
    await hook.when(() => created().length === 3)
    expect(created()).toEqual(['ada', 'bob', 'eve'])
    await service.end()
  }, 600_000)

  it.each([
    ['WEBHOOKS is off', { WEBHOOKS: 'off' }],
    ['its secret is another one', { WEBHOOK_SECRET: 'another-secret-of-more-than-32-characters' }],
  ])(
    'is sent nothing, and its test is refused, by a process that may not send: %s',
    async (name, more) => {
      const sent = hook.received.length
      const { service, client } = await start(data, more)
      await client.entities.create(name)
      await expect(client.webhooks.test('all')).rejects.toMatchObject({ code: 'webhooks_off' })
      if ('WEBHOOK_SECRET' in more) {
        await service.line((line) => line.includes('another WEBHOOK_SECRET'))
      }
      expect(hook.received).toHaveLength(sent)
    },
    600_000,
  )
})
