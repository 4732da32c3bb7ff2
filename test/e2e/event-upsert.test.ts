import { expect, it } from '@jest/globals'
import { quickOrThorough } from '../support/thoroughness.js'
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

it('records events with upsert once each when it is killed among them and they are sent again', async () => {
  const count = quickOrThorough({ quick: 100, thorough: 1_000 })
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
