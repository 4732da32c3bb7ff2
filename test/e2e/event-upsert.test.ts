import { describe, expect, it } from '@jest/globals'
import { byForm } from '../support/form.js'
import { sharedService } from '../support/shared-service.js'
import { sqliteFacts } from '../support/sqlite-facts.js'
import { StartedService } from '../support/started-service.js'
import { temporaryFolders } from '../support/temporary-folder.js'

const folder = temporaryFolders()
const both = ['EntityCreated', 'EventRecorded']

const typesIn = ({ database }: StartedService, id: string) =>
  sqliteFacts(database, `entity-${id}`).map(({ type }) => type)

async function upsert(service: StartedService, id: string, key: string) {
  const body = { entity_external_id: id, name: 'login', upsert: true }
  const reply = await service.post('/events', body, { 'idempotency-key': key })
  return { status: reply.status, text: await reply.text() }
}

describe('a service without a read model', () => {
  const shared = sharedService({ READ_MODEL: 'off' })

  async function change(id: string, body: object) {
    const { origin, key } = shared()
    const reply = await fetch(`${origin}/entities/${id}`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return { status: reply.status, position: reply.headers.get('position') }
  }

  it('records an event about an entity that it creates first', async () => {
    const first = await upsert(shared(), 'ada', 'key')
    expect(first.status).toBe(201)
    expect(await upsert(shared(), 'ada', 'key')).toEqual(first)
    expect(typesIn(shared(), 'ada')).toEqual(both)
  })

  it('stores nothing for an upsert of an entity that exists, and tells the position of its creation', async () => {
    const { status, position } = await change('bob', { upsert: true })
    expect(status).toBe(201)
    await upsert(shared(), 'bob', 'key')
    expect(await change('bob', { upsert: true })).toEqual({ status: 200, position })
    expect(typesIn(shared(), 'bob')).toEqual(both)
  })
})

it('records events with upsert once each when it is killed among them and they are sent again', async () => {
  const count = byForm({ quick: 100, thorough: 1_000 })
  const ids = Array.from({ length: count }, (_, n) => `e${String(n)}`)
  const place = folder()
  const service = await StartedService.start(place)
  const sent = ids.map((id) => upsert(service, id, 'key').catch(() => undefined))
  await Promise.race(sent)
  await service.end('SIGKILL')
  const replies = await Promise.all(sent)
  const next = await StartedService.start(place)
  const again = await Promise.all(ids.map((id) => upsert(next, id, 'key')))
  await next.end()
  for (const [n, id] of ids.entries()) {
    expect(typesIn(next, id)).toEqual(both)
    expect(again[n]?.status).toBe(201)
    if (replies[n] !== undefined) expect(again[n]).toEqual(replies[n])
  }
})
