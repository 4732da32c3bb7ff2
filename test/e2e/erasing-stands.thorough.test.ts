import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from '@jest/globals'
import {
  allPurged,
  filesWith,
  kill,
  record,
  startErasing,
  type ErasingService,
  until,
} from '../support/erasing-service.js'
import { temporaryFolders } from '../support/temporary-folder.js'

const folder = temporaryFolders()
const everybody = { title: 'All', kind: 'rule', rule: { everyone: true } } as const

/** Ids, and similar ids that contain them or are part of them. */
const ids = [
  ['1', '10', '01'],
  ['ada', 'adamant', 'an ada'],
  ['a"b\\c/d?e&f', 'a"b\\c/d?e&f "'],
  ['名'.repeat(255), '名'.repeat(254)],
  ['🙂'.repeat(127), '🙂'.repeat(126)],
  ['entity-1', 'entity-'],
] as const

/** Sends writes of all kinds during the erasure of ada. Returns their answers, and how many events of bob were stored. */
async function race({ service, client }: ErasingService, secret: string) {
  const rounds = 60
  const event = { entity_external_id: 'ada', name: 'buy', properties: { note: secret } }
  const write = (n: number) => {
    const keyed = { 'idempotency-key': `key-${String(n)}` }
    return [
      service.post('/events', event),
      service.post('/events', event, keyed),
      service.post('/events', { ...event, upsert: true }, keyed),
      service.post('/events', { ...event, upsert: true }),
      service.post('/entities', { external_id: 'ada', properties: { note: secret } }),
    ]
  }
  const sent: Promise<Response>[] = []
  const his: Promise<Response>[] = []
  let erased: Promise<unknown> | undefined
  for (let n = 0; n < rounds; n += 1) {
    sent.push(...write(n))
    his.push(service.post('/events', { entity_external_id: 'bob', name: 'buy' }))
    if (n === Math.floor(rounds / 3)) erased = client.erasures.begin('ada')
    await Promise.any(sent.slice(-5))
  }
  await erased
  const answers = new Set<string>()
  for (const reply of await Promise.all(sent)) answers.add(await answerOf(reply))
  const stored = (await Promise.all(his)).filter(({ status }) => status === 201).length
  return { answers: [...answers].sort(), stored }
}

async function answerOf(reply: Response): Promise<string> {
  const { error } = (await reply.json()) as { readonly error?: { readonly code: string } }
  return error?.code ?? 'stored'
}

describe('erasing withstands', () => {
  it('ids of every form: the erased entity is gone, and entities with similar ids stay', async () => {
    const place = folder()
    const { service, client } = await startErasing(place)
    const all = ids.flat()
    for (const [index, id] of all.entries()) {
      await client.entities.create(id, { properties: { mark: `mark ${String(index)}.` } })
      await client.entities.record(id, { name: 'login' })
    }
    for (const [erased] of ids) await client.erasures.begin(erased)
    const receipts = await allPurged(client)
    expect(receipts.map(({ removed }) => removed?.facts)).toEqual(
      ids.map(() => ({ EntityCreated: 1, EventRecorded: 1 })),
    )
    await service.end()
    const gone = new Set<string>(ids.map(([erased]) => erased))
    for (const [index, id] of all.entries()) {
      for (const name of ['externalId', 'entityExternalId']) {
        const found = filesWith(place, `"${name}":${JSON.stringify(id)}`)
        expect([id, name, found.length > 0]).toEqual([id, name, !gone.has(id)])
      }
      const marked = filesWith(place, `mark ${String(index)}.`)
      expect([id, marked.length > 0]).toEqual([id, !gone.has(id)])
    }
  })

  it.each(['on', 'off'])(
    'concurrent writes, with READ_MODEL %s: each is stored before and removed, or refused',
    async (readModel) => {
      const place = folder()
      const off: Record<string, string> = readModel === 'off' ? { READ_MODEL: 'off' } : {}
      let started = await startErasing(place, off)
      const secret = 'a text of the raced'
      await started.client.entities.create('ada', { properties: { note: secret } })
      await started.client.entities.create('bob')
      const { answers, stored } = await race(started, secret)
      expect(answers).toEqual(['entity_erased', 'entity_exists', 'stored'])
      if (readModel === 'off') {
        await started.service.end()
        started = await startErasing(place)
      }
      await allPurged(started.client)
      expect((await started.client.entities.get('bob')).event_count).toBe(stored)
      await expect(started.client.entities.get('ada')).rejects.toMatchObject({
        code: 'entity_not_found',
      })
      await started.service.end()
      expect([filesWith(place, secret), filesWith(place, '"ada"')]).toEqual([[], []])
    },
  )

  it('a running backfill: the entity is a member of no segment, and each published membership ends', async () => {
    const { service, client } = await startErasing(folder())
    const names = Array.from({ length: 400 }, (_, n) => `entity ${String(n)}`)
    const items = names.map((id) => ({ op: 'create_entity' as const, external_id: id }))
    for await (const { error } of client.batch(items)) expect(error).toBeUndefined()
    const defining = client.segments.define('all', everybody)
    const erasing = names.slice(0, 40).map((id) => client.erasures.begin(id))
    await Promise.all([defining, ...erasing])
    await allPurged(client)
    const left = names.length - erasing.length
    await until(async () =>
      (await client.segments.get('all')).members === left ? true : undefined,
    )
    const counts = new Map<string, number>()
    for (const { type, data } of (await client.facts().page({ limit: 1_000 })).items) {
      if (type !== 'EntityEnteredSegment' && type !== 'EntityLeftSegment') continue
      const { entity_id: entityId } = data as { readonly entity_id: string }
      counts.set(entityId, (counts.get(entityId) ?? 0) + (type === 'EntityLeftSegment' ? -1 : 1))
    }
    for (const balance of counts.values()) expect(balance).toBeLessThanOrEqual(0)
    expect((await client.service.status()).segments?.diverged).toBe(0)
    await service.end()
  })

  it('the restore of an older copy: no request reads data of the entity or writes to it', async () => {
    const place = folder()
    let started = await startErasing(place)
    const secret = 'a text of the restored'
    await started.client.entities.create('ada', { properties: { note: secret } })
    await record(started.client, 'ada', { events: 300, note: secret })
    await started.service.end()
    const older = folder()
    cpSync(join(place, 'data'), join(older, 'data'), { recursive: true })
    started = await startErasing(place)
    await started.client.erasures.begin('ada')
    await kill(started)
    cpSync(join(place, 'data', 'erasure-ledger'), join(older, 'data', 'erasure-ledger'))

    started = await startErasing(older)
    const { service, client } = started
    const paths = ['', '/history', '/events', '/segments'].map((path) => `/entities/ada${path}`)
    const looks: Promise<string>[] = []
    const look = async (path: string) => {
      const headers = { authorization: `Bearer ${service.key}` }
      const reply = await fetch(`${service.origin}${path}`, { headers })
      expect(await reply.text()).not.toContain(secret)
      return `${path} ${String(reply.status)}`
    }
    const write = async () => {
      const reply = await service.post('/events', { entity_external_id: 'ada', name: 'buy' })
      return `/events ${String(reply.status)}`
    }
    for (let n = 0; n < 40; n += 1) {
      looks.push(...[...paths, '/entities', '/facts'].map(look), write())
      await Promise.any(looks.slice(-7))
    }
    const answers = new Set(await Promise.all(looks))
    for (const answer of answers) {
      const isListed = answer.startsWith('/entities ') || answer.startsWith('/facts ')
      const allowed = isListed ? /(503|200)$/ : /(503|404|410)$/
      expect(answer).toMatch(allowed)
    }
    await allPurged(client)
    await service.end()
    expect(filesWith(older, secret)).toEqual([])
  })
})
