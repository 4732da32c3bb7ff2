import { rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from '@jest/globals'
import { Dossier } from '../../src/client/dossier.js'
import { allPurged, filesWith, record, startErasing, until } from '../support/erasing-service.js'
import { runProgram } from '../support/run-program.js'
import { sharedService } from '../support/shared-service.js'
import type { StartedService } from '../support/started-service.js'
import { itThoroughly, quickOrThorough } from '../support/thoroughness.js'
import { temporaryFolders } from '../support/temporary-folder.js'

const folder = temporaryFolders()
/** A text in the properties and events of the entity, and nowhere else. */
const secret = 'a text of this entity alone'
const everybody = { title: 'All', kind: 'rule', rule: { everyone: true } } as const

/** Ada with many facts, an entity whose name begins with the same letters, and a segment of both. */
async function people(client: Dossier): Promise<string> {
  const properties = { note: secret }
  await client.entities.create('ada', { properties })
  await client.entities.create('adam', { properties: { note: 'another' } })
  await client.segments.define('all', everybody)
  await record(client, 'ada', { events: 450, note: secret })
  await until(async () => ((await client.segments.get('all')).members === 2 ? true : undefined))
  return (await client.entities.get('ada')).entity_id
}

function clientOf({ origin: url, key }: StartedService): Dossier {
  return new Dossier({ url, key })
}

describe('an erased entity', () => {
  /** The service of the first two tests. The second one kills it. */
  const started = sharedService({ READ_MODEL: 'data/read-model.db' })

  it('is found by no read after the reply, also without its Position', async () => {
    const service = started()
    const client = clientOf(service)
    const length = quickOrThorough({ quick: 8, thorough: 60 })
    const names = Array.from({ length }, (_, index) => `p-${String(index)}`)
    for (const name of names) await client.entities.create(name)
    const found: string[] = []
    const headers = { authorization: `Bearer ${service.key}` }
    const read = async (path: string) =>
      (await fetch(`${service.origin}${path}`, { headers })).text()
    for (const name of names) {
      await client.erasures.begin(name)
      const profile = await read(`/entities/${name}`)
      const list = await read(`/entities?starts_with=${name}`)
      if (!profile.includes('entity_not_found') || list.includes(`"${name}"`)) found.push(name)
    }
    expect(found).toEqual([])
  }, 120_000)

  it('is not found from the 202 on, despite kills, and leaves no data anywhere', async () => {
    let service = started()
    const place = service.folder
    let client = clientOf(service)
    const entityId = await people(client)
    const [event] = (await client.entities.events('ada').page()).items
    expect(await client.erasures.dryRun('ada')).toMatchObject({
      entity_id: entityId,
      facts: { EntityCreated: 1, EventRecorded: 450 },
      keys: 451,
      segments: ['all'],
    })
    expect(filesWith(place, secret)).not.toEqual([])
    const asked = { recipients: ['mirror'] }
    const begun = await client.erasures.begin('ada', asked, { idempotencyKey: 'the-request' })
    service.signal('SIGKILL')
    await service.ended
    ;({ service, client } = await startErasing(place))
    const gone = { code: 'entity_not_found' }
    const erased = { code: 'entity_erased' }
    await expect(client.entities.get('ada')).rejects.toMatchObject(gone)
    await expect(client.entities.create('ada')).rejects.toMatchObject(erased)
    await expect(client.entities.record('ada', { name: 'buy' })).rejects.toMatchObject(erased)
    await expect(client.entities.voidEvent('ada', event?.id ?? '')).rejects.toMatchObject(erased)
    await expect(client.entities.update('ada', { upsert: true })).rejects.toMatchObject(erased)
    const listed = await client.entities.list({ starts_with: 'ad' }).page()
    expect(listed.items.map(({ external_id: id }) => id)).toEqual(['adam'])
    service.signal('SIGKILL')
    await service.ended
    ;({ service, client } = await startErasing(place))
    const again = await client.erasures.begin('ada', asked, { idempotencyKey: 'the-request' })
    expect(again.erasure).toBe(begun.erasure)
    const at = { recipient: 'mirror', position: '1000000' }
    await client.erasures.confirm(begun.erasure, at)
    const receipt = await until(async () => {
      const one = await client.erasures.get(begun.erasure)
      const isDone = one.places.every(({ state }) => state === 'purged' || state === 'confirmed')
      return one.removed !== null && one.places.length === 3 && isDone ? one : undefined
    })
    expect(receipt.removed).toMatchObject({
      facts: { EntityCreated: 1, EventRecorded: 450 },
      keys: 451,
      memberships: 1,
    })
    for (const text of [secret, 'entity-ada"', '"externalId":"ada"']) {
      expect([text, filesWith(place, text)]).toEqual([text, []])
    }
    const facts = await client.facts().page({ limit: 1_000 })
    const left = facts.items.flatMap(({ type, data }) =>
      type === 'EntityLeftSegment' ? [data] : [],
    )
    expect(left).toMatchObject([{ entity_id: entityId, cause: { kind: 'erased' } }])
    expect(JSON.stringify(facts)).not.toContain(secret)
    await service.end()
  }, 120_000)

  itThoroughly(
    'stays erased when the read model is rebuilt, and its id may name another entity',
    async () => {
      const place = folder()
      let { service, client } = await startErasing(place)
      const entityId = await people(client)
      const { erasure } = await client.erasures.begin('ada')
      await allPurged(client)
      const { members, digest } = await client.segments.get('all')
      await service.end()
      for (const ending of ['', '-wal', '-shm']) {
        rmSync(join(place, 'data', `read-model.db${ending}`), { force: true })
      }
      ;({ service, client } = await startErasing(place))
      await until(async () =>
        (await client.service.status()).reads === 'ready' ? true : undefined,
      )
      const built = await until(async () => {
        const segment = await client.segments.get('all')
        return segment.status === 'building' ? undefined : segment
      })
      expect(built).toMatchObject({ members, digest, status: 'live' })
      expect((await client.service.status()).segments?.diverged).toBe(0)
      await client.erasures.liftSuppression(erasure)
      await client.entities.create('ada', { properties: { plan: 'free' } })
      const young = await client.entities.get('ada')
      expect(young.entity_id).not.toBe(entityId)
      expect([young.event_count, young.properties]).toEqual([0, { plan: 'free' }])
      await service.end()
      const audit = await runProgram(resolve('dist/dossier.js'), ['audit', '--entities', '10'], {
        cwd: place,
        READ_MODEL: 'data/read-model.db',
      })
      expect([audit.stderr, audit.code]).toEqual(['', 0])
    },
    120_000,
  )

  itThoroughly(
    'is purged after one vacuum when another entity has the id in a property, also in the read model',
    async () => {
      const place = folder()
      let { service, client } = await startErasing(place)
      await client.entities.create('ada')
      const properties = { friend: { externalId: 'ada' } }
      await client.entities.create('bob', { properties })
      await client.entities.record('bob', { name: 'invited', properties })
      await client.erasures.begin('ada')
      const [found] = await allPurged(client, ['until_vacuum'])
      expect(found?.remains).toContainEqual(expect.stringMatching(/others/))
      await service.end()
      const env = { cwd: place, READ_MODEL: 'data/read-model.db' }
      const vacuumed = await runProgram(resolve('dist/dossier.js'), ['vacuum'], env)
      expect([vacuumed.stderr, vacuumed.code]).toEqual(['', 0])
      ;({ service, client } = await startErasing(place))
      await allPurged(client)
      expect((await client.entities.get('bob')).properties).toEqual(properties)
      await service.end()
      const audit = await runProgram(resolve('dist/dossier.js'), ['audit', '--entities', '10'], env)
      expect([audit.stderr, audit.code]).toEqual(['', 0])
    },
    120_000,
  )
})
