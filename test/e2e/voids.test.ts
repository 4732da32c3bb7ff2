import { afterEach, expect, it } from '@jest/globals'
import { Dossier } from '../../src/client/dossier.js'
import { until } from '../support/erasing-service.js'
import { EventStoreDouble } from '../support/eventstoredb/event-store-double.js'
import { StartedService } from '../support/started-service.js'
import { temporaryFolders } from '../support/temporary-folder.js'

const folder = temporaryFolders()
const apiKey = 'one-key-for-all-replicas'
const services: StartedService[] = []
let double: EventStoreDouble | undefined

afterEach(async () => {
  await Promise.all(services.splice(0).map((service) => service.end('SIGKILL')))
  await double?.close()
  double = undefined
})

async function startReplica(STORE_URL: string, env = {}): Promise<Dossier> {
  const shared = { STORE_URL, API_KEY: apiKey, READ_MODEL: 'data/read-model.db' }
  const service = await StartedService.start(folder(), { ...shared, ...env })
  services.push(service)
  return new Dossier({ url: service.origin, key: apiKey })
}

it('a replica with VOID=on voids an event, and every replica reads and publishes who leaves', async () => {
  double = await EventStoreDouble.start()
  const voiding = await startReplica(double.connectionString, { VOID: 'on' })
  const other = await startReplica(double.connectionString)
  const rule = { event: 'purchase' }
  await voiding.segments.define('buyers', { title: 'Buyers', kind: 'rule', rule })
  await voiding.entities.create('ada')
  const { id } = await voiding.entities.record('ada', { name: 'purchase' })
  await until(async () => ((await other.segments.get('buyers')).members === 1 ? true : undefined))

  const refused = other.entities.voidEvent('ada', id)
  await expect(refused).rejects.toMatchObject({ status: 409, code: 'not_ready' })
  const { voided_at: at } = await voiding.entities.voidEvent('ada', id, { reason: 'twice' })

  const [left, voided] = await until(async () => {
    const { items } = await other
      .facts({ types: ['EntityLeftSegment', 'EventVoided'] })
      .page({ limit: 1_000 })
    const [fact, leave] = items
    return leave === undefined ? undefined : ([leave, fact] as const)
  })
  expect(voided).toMatchObject({ type: 'EventVoided', data: { event_id: id, reason: 'twice' } })
  expect(left).toMatchObject({
    type: 'EntityLeftSegment',
    data: { segment: 'buyers', at, cause: { kind: 'voided', fact_id: voided?.id } },
  })
  for (const replica of [voiding, other]) {
    replica.note(left.position)
    expect((await replica.entities.events('ada').page()).items).toEqual([])
    expect(await replica.entities.get('ada')).toMatchObject({ event_count: 0, segments: [] })
    expect((await replica.segments.get('buyers')).members).toBe(0)
  }
}, 120_000)
