import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { Dossier } from '../../src/client/dossier.js'
import { nextLook } from '../support/next-look.js'
import { StartedService } from '../support/started-service.js'
import { temporaryFolders } from '../support/temporary-folder.js'
import { quickOrThorough } from '../support/thoroughness.js'
import { WebhookReceiver } from '../support/webhooks/receiver.js'

const folder = temporaryFolders()
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
  return { service, client: new Dossier({ url: service.origin, key: service.key }) }
}

const ofType = (type: string) => receiver.received.filter((message) => message.type === type)

describe('a webhook', () => {
  it('tells signed who entered a segment, with external_id and profile', async () => {
    const { client } = await start(folder())
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
      .create('ada', { properties: { plan: 'paid' } })
      .then(() => client.entities.get('ada'))
    await client.entities.record('ada', { name: 'purchase' })
    await receiver.when(() => ofType('EntityEnteredSegment').length === 1)
    expect(receiver.received.map(({ type }) => type)).toEqual([
      'webhook.test',
      'EntityEnteredSegment',
    ])
    expect(ofType('EntityEnteredSegment')[0]).toMatchObject({
      data: { entity_id: entityId, external_id: 'ada', segment: 'buyers', version: 1 },
      profile: { properties: { plan: 'paid' }, event_count: 1, segments: [{ key: 'buyers' }] },
    })
    expect(receiver.forged).toEqual([])
  }, 600_000)

  it('delivers every fact in order per entity, although its sender is killed again and again', async () => {
    const place = folder()
    let { service, client } = await start(place)
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

  it('continues at its cursor after a clean stop, and repeats nothing', async () => {
    const place = folder()
    const first = await start(place)
    await first.client.webhooks.define('all', { url: receiver.url })
    await first.client.entities.create('ada')
    await receiver.when(() => receiver.received.length === 1)
    await first.service.end()
    const { client } = await start(place)
    await client.entities.create('eve')
    await receiver.when(() => receiver.received.length === 2)
    expect(receiver.received.map(({ data }) => data['external_id'])).toEqual(['ada', 'eve'])
  }, 600_000)

  it('is paused by a request and by 410, resumes at its cursor, and replays', async () => {
    const { client } = await start(folder())
    await client.webhooks.define('all', { url: receiver.url })
    receiver.status = 410
    await client.entities.create('ada')
    let shown = await client.webhooks.get('all')
    while (shown.state !== 'paused') {
      await nextLook()
      shown = await client.webhooks.get('all')
    }
    expect(shown.paused).toMatchObject({ by: 'receiver', reason: 'gone' })
    expect(shown.behind).toMatchObject({ facts: 1, more: false })
    receiver.status = 204
    await client.webhooks.resume('all')
    await receiver.when(() => receiver.received.length === 1)
    await client.webhooks.pause('all')
    expect(await client.webhooks.replay('all', { from: 'start' })).toMatchObject({
      state: 'paused',
      delivered_to: { position: '0' },
    })
    await client.webhooks.resume('all')
    await receiver.when(() => receiver.received.length === 2)
    expect(new Set(receiver.received.map(({ messageId }) => messageId)).size).toBe(1)
  }, 600_000)

  it('gets every erasure and confirms it, and gets no fact of the entity after it', async () => {
    const { client } = await start(folder())
    await client.webhooks.define('mail', { url: receiver.url, types: ['SegmentBuilt'] })
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
      (await client.erasures.get(erasure)).places.find(({ place }) => place === 'webhook:mail')
    let place = await placeOf()
    while (place?.state !== 'confirmed') {
      await nextLook()
      place = await placeOf()
    }
    await client.webhooks.define('late', { url: receiver.url, from: 'start' })
    await receiver.when(() => receiver.received.length === 2)
    expect(receiver.received.map(({ type }) => type)).toEqual(['EntityErased', 'EntityErased'])
  }, 600_000)

  it('leaves no secret and no URL in the log, in the facts, in the metrics and in the files', async () => {
    const place = folder()
    const { service, client } = await start(place)
    const { secret = '' } = await client.webhooks.define('mail', { url: receiver.url })
    receiver.status = 500
    await client.entities.create('ada')
    const rotated = await client.webhooks.rotateSecret('mail')
    await client.webhooks.test('mail')
    const facts = JSON.stringify(await client.facts().page({ limit: 1_000 }))
    const shown = JSON.stringify([
      await client.webhooks.list(),
      await client.webhooks.attempts('mail'),
    ])
    const metrics = await (await fetch(`${service.origin}/metrics`)).text()
    await service.end()
    const files = ['dossier.db', 'read-model.db']
      .map((name) => readFileSync(join(place, 'data', name), 'latin1'))
      .join('')
    for (const hidden of ['s3cret-token', secret, rotated.secret]) {
      for (const seen of [service.lines.join('\n'), facts, shown, metrics, files]) {
        expect(seen.includes(hidden)).toBe(false)
      }
    }
    expect(facts).toContain(new URL(receiver.url).origin)
  }, 600_000)
})

describe('a process that may not send', () => {
  it.each([
    ['WEBHOOKS is off', { WEBHOOKS: 'off' }],
    ['its secret is another one', { WEBHOOK_SECRET: 'another-secret-of-more-than-32-characters' }],
  ])(
    'sends nothing and refuses tests: %s',
    async (_name, more) => {
      const place = folder()
      const first = await start(place)
      await first.client.webhooks.define('all', { url: receiver.url })
      await first.service.end()
      const { service, client } = await start(place, more)
      await client.entities.create('ada')
      await expect(client.webhooks.test('all')).rejects.toMatchObject({ code: 'webhooks_off' })
      if ('WEBHOOK_SECRET' in more) {
        await service.line((line) => line.includes('another WEBHOOK_SECRET'))
      }
      expect(receiver.received).toEqual([])
    },
    600_000,
  )
})
