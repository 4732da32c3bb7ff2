import { cpSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from '@jest/globals'
import { Dossier, type ErasureReceipt } from '../../src/client/dossier.js'
import { runProgram } from '../support/run-program.js'
import { StartedService } from '../support/started-service.js'
import { temporaryFolders } from '../support/temporary-folder.js'

const folder = temporaryFolders()
const env = { READ_MODEL: 'data/read-model.db' }
/** In her properties and events, and nowhere else. */
const secret = 'a text of nobody but her'
const everybody = { title: 'All', kind: 'rule', rule: { everyone: true } } as const

async function start(place: string): Promise<{ service: StartedService; client: Dossier }> {
  const service = await StartedService.start(place, env)
  return { service, client: new Dossier({ url: service.origin, key: service.key }) }
}

/** What `look` comes to, asked again until there is something. */
async function until<T>(look: () => Promise<T | undefined>): Promise<T> {
  for (;;) {
    const found = await look()
    if (found !== undefined) return found
    await pause(50)
  }
}

function purged(client: Dossier): Promise<ErasureReceipt> {
  return until(async () => {
    const [receipt] = (await client.erasures.list().page()).items
    const isDone =
      receipt?.removed !== null && receipt?.places.every(({ state }) => state === 'purged')
    return isDone === true && receipt?.places.length === 2 ? receipt : undefined
  })
}

/** Names of files of the service in which the text is. */
function filesWith(place: string, text: string): readonly string[] {
  const data = join(place, 'data')
  return readdirSync(data).filter((name) => readFileSync(join(data, name)).includes(text))
}

/** Ada with many facts, somebody whose name begins with hers, and a segment that both are in. */
async function people(client: Dossier): Promise<string> {
  const properties = { note: secret }
  await client.entities.create('ada', { properties })
  await client.entities.create('adam', { properties: { note: 'another' } })
  await client.segments.define('all', everybody)
  const items = Array.from({ length: 450 }, (_, n) => ({
    op: 'record_event' as const,
    entity_external_id: 'ada',
    name: 'buy',
    properties: { n, note: secret },
    idempotency_key: `buy-${String(n)}`,
  }))
  for await (const { error } of client.batch(items)) expect(error).toBeUndefined()
  await until(async () => ((await client.segments.get('all')).members === 2 ? true : undefined))
  return (await client.entities.get('ada')).entity_id
}

describe('a person who is erased', () => {
  it('is not there from the 202 on, whatever is killed, and nothing of her is left anywhere', async () => {
    const place = folder()
    let { service, client } = await start(place)
    const entityId = await people(client)
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
    ;({ service, client } = await start(place))
    const gone = { code: 'entity_not_found' }
    const erased = { code: 'entity_erased' }
    await expect(client.entities.get('ada')).rejects.toMatchObject(gone)
    await expect(client.entities.create('ada')).rejects.toMatchObject(erased)
    await expect(client.entities.record('ada', { name: 'buy' })).rejects.toMatchObject(erased)
    await expect(client.entities.update('ada', { upsert: true })).rejects.toMatchObject(erased)
    const listed = await client.entities.list({ starts_with: 'ad' }).page()
    expect(listed.items.map(({ external_id: id }) => id)).toEqual(['adam'])
    service.signal('SIGKILL')
    await service.ended
    ;({ service, client } = await start(place))
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
    expect(left).toMatchObject([{ entityId, cause: { kind: 'erased' } }])
    expect(JSON.stringify(facts)).not.toContain(secret)
    await service.end()
  }, 120_000)

  it('makes no difference where the read model is built anew, and may come back as somebody else', async () => {
    const place = folder()
    let { service, client } = await start(place)
    const entityId = await people(client)
    const { erasure } = await client.erasures.begin('ada')
    await purged(client)
    const { members, digest } = await client.segments.get('all')
    await service.end()
    for (const ending of ['', '-wal', '-shm']) {
      rmSync(join(place, 'data', `read-model.db${ending}`), { force: true })
    }
    ;({ service, client } = await start(place))
    await until(async () => ((await client.service.status()).reads === 'ready' ? true : undefined))
    expect(await client.segments.get('all')).toMatchObject({ members, digest, status: 'live' })
    expect((await client.service.status()).segments?.diverged).toBe(0)
    await client.erasures.liftSuppression(erasure)
    await client.entities.create('ada', { properties: { plan: 'free' } })
    const young = await client.entities.get('ada')
    expect(young.entity_id).not.toBe(entityId)
    expect([young.event_count, young.properties]).toEqual([0, { plan: 'free' }])
    await service.end()
    const audit = await runProgram(resolve('dist/audit.js'), ['--entities', '10'], {
      cwd: place,
      ...env,
    })
    expect([audit.stderr, audit.code]).toEqual(['', 0])
  }, 120_000)

  it('is erased again in a store that was restored from an older copy, before anything is read', async () => {
    const place = folder()
    let { service, client } = await start(place)
    await people(client)
    await service.end()
    const older = folder()
    cpSync(join(place, 'data'), join(older, 'data'), { recursive: true })
    ;({ service, client } = await start(place))
    await client.erasures.begin('ada')
    await purged(client)
    await service.end()
    cpSync(join(place, 'data', 'erasure-ledger'), join(older, 'data', 'erasure-ledger'))
    ;({ service, client } = await start(older))
    await expect(client.entities.get('ada')).rejects.toMatchObject({ code: 'entity_not_found' })
    await purged(client)
    expect(filesWith(older, secret)).toEqual([])
    await service.end()
  }, 120_000)
})
