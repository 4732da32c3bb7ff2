import { expect, it } from '@jest/globals'
import { quickOrThorough } from '../support/thoroughness.js'
import { sqliteFacts } from '../support/sqlite-facts.js'
import { StartedService } from '../support/started-service.js'
import { temporaryFolders } from '../support/temporary-folder.js'

const folder = temporaryFolders()
const senders = 32
const kills = quickOrThorough({ quick: 1, thorough: 5 })

/** Reads `ada` at this position or later. */
async function readAda(service: StartedService, position: number) {
  const headers = { authorization: `Bearer ${service.key}`, position: String(position) }
  const reply = await fetch(`${service.origin}/entities/ada`, { headers })
  expect(reply.status).toBe(200)
  return ((await reply.json()) as { data: { event_count: number } }).data
}

it('the service keeps every acknowledged event once, and reads include it, however often it is killed', async () => {
  const place = folder()
  const acknowledged: string[] = []
  let newest = 0
  let sent = 0
  for (let round = 0; round < kills; round += 1) {
    const service = await StartedService.start(place)
    if (round === 0) expect((await service.createEntity('ada')).status).toBe(201)
    const enough = acknowledged.length + 200
    const send = async (): Promise<void> => {
      for (;;) {
        const n = (sent += 1)
        const body = { entity_external_id: 'ada', name: 'event', properties: { n } }
        const headers = n % 2 ? { 'idempotency-key': `key-${String(n)}` } : undefined
        const reply = await service.post('/events', body, headers)
        expect(reply.status).toBe(201)
        const { data } = (await reply.json()) as { data: { id: string } }
        acknowledged.push(data.id)
        newest = Math.max(newest, Number(reply.headers.get('position')))
        if (acknowledged.length >= enough) service.signal('SIGKILL')
      }
    }
    const results = await Promise.allSettled(Array.from({ length: senders }, send))
    for (const result of results) {
      expect(result).toMatchObject({ status: 'rejected', reason: { name: 'TypeError' } })
    }
    expect(await service.ended).toEqual({ code: null, signal: 'SIGKILL' })
  }
  const last = await StartedService.start(place, { READ_MODEL: 'data/read-model.db' })
  const profile = await readAda(last, newest)
  await last.end()
  const found = sqliteFacts(last.database, 'entity-ada').map(({ id }) => id)
  expect(new Set(found).size).toBe(found.length)
  expect(profile.event_count).toBe(found.length - 1)
  const kept = new Set(found)
  expect(acknowledged.filter((id) => !kept.has(id))).toEqual([])
  expect(acknowledged.length).toBeGreaterThanOrEqual(kills * 200)
  expect(found.length).toBeLessThanOrEqual(1 + acknowledged.length + kills * senders)
}, 120_000)
