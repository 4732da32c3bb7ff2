import { afterEach, describe, expect, it } from '@jest/globals'
import { EventStoreDouble } from '../support/eventstoredb/event-store-double.js'
import { itInLongForm } from '../support/form.js'
import { samplesIn } from '../support/prometheus-text.js'
import { StartedService } from '../support/started-service.js'
import { temporaryFolders } from '../support/temporary-folder.js'

const folder = temporaryFolders()
const apiKey = 'one-key-for-all-requests'
const sender = { authorization: `Bearer ${apiKey}` }
let double: EventStoreDouble
let service: StartedService
afterEach(async () => {
  await service.end()
  await double.close()
})

async function startBentBy(aheadMs: number): Promise<void> {
  double = await EventStoreDouble.start()
  double.bendClock(aheadMs)
  service = await StartedService.start(folder(), {
    STORE_URL: double.connectionString,
    API_KEY: apiKey,
  })
}

async function codeOf(reply: Response) {
  const body = (await reply.json()) as { error?: { code: string } }
  return [reply.status, body.error?.code]
}

const create = () => service.createEntity('ada', sender).then(codeOf)
const get = (path: string) => fetch(`${service.origin}${path}`, { headers: sender })
const sample = async (name: string) =>
  samplesIn(await (await get('/metrics')).text()).get(`dossier_clock_${name}`)

describe('a service whose store has another time', () => {
  it('refuses writes from its start, is not ready, and reads', async () => {
    await startBentBy(-60_000)
    expect(await create()).toEqual([503, 'clock_untrusted'])
    expect(await codeOf(await get('/health/ready'))).toEqual([503, 'clock_untrusted'])
    expect((await get('/health/live')).status).toBe(200)
    let reads = await get('/entities')
    while (reads.status === 503) reads = await get('/entities')
    expect(reads.status).toBe(200)
    expect(await sample('trusted')).toBe(0)
    expect(await sample('offset_seconds')).toBeGreaterThan(55)
    expect(
      service.lines.filter((line) => line.includes('too far apart; synchronise')),
    ).toHaveLength(1)
    expect(double.records('entity-ada')).toEqual([])
  })

  itInLongForm(
    'takes writes again when it has the same time',
    async () => {
      await startBentBy(60_000)
      expect(await create()).toEqual([503, 'clock_untrusted'])
      double.bendClock(0)
      await service.line((line) => line.includes('writes are taken'))
      expect(await create()).toEqual([201, undefined])
      expect((await get('/health/ready')).status).toBe(200)
      expect(await sample('trusted')).toBe(1)
    },
    90_000,
  )
})

it('a service whose store has the same time takes writes', async () => {
  await startBentBy(0)
  expect(await create()).toEqual([201, undefined])
  expect((await get('/health/ready')).status).toBe(200)
  expect(await sample('trusted')).toBe(1)
  expect(Math.abs((await sample('offset_seconds')) ?? NaN)).toBeLessThan(2)
  expect(await sample('behind_log_seconds')).toBeUndefined()
})
