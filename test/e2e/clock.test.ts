import { join } from 'node:path'
import { afterEach, describe, expect, it } from '@jest/globals'
import { uuidGenerator } from '../../src/adapters/system/clock-and-ids.js'
import { createEntityUseCase } from '../../src/application/recording/create-entity.js'
import { EventStoreDouble } from '../support/eventstoredb/event-store-double.js'
import { itThoroughly } from '../support/thoroughness.js'
import { openSqliteStore } from '../support/open-sqlite-store.js'
import { samplesIn } from '../support/prometheus-text.js'
import { StartedService } from '../support/started-service.js'
import { temporaryFolders } from '../support/temporary-folder.js'
import { nextLook } from '../support/next-look.js'

const folder = temporaryFolders()
const apiKey = 'one-key-for-all-requests'
const sender = { authorization: `Bearer ${apiKey}` }
let double: EventStoreDouble | undefined
let service: StartedService
afterEach(async () => {
  await service.end()
  await double?.close()
  double = undefined
})

async function startBentBy(aheadMs: number): Promise<EventStoreDouble> {
  const started = await EventStoreDouble.start()
  double = started
  started.bendClock(aheadMs)
  service = await StartedService.start(folder(), {
    STORE_URL: started.connectionString,
    READ_MODEL: 'memory:',
    API_KEY: apiKey,
  })
  return started
}

async function codeOf(reply: Response) {
  const body = (await reply.json()) as { error?: { code: string } }
  return [reply.status, body.error?.code]
}

const create = () => service.createEntity('ada', sender).then(codeOf)
const get = (path: string) => fetch(`${service.origin}${path}`, { headers: sender })
const sample = async (name: string) =>
  samplesIn(await (await get('/metrics')).text()).get(`dossier_clock_${name}`)

describe('a service whose clock differs from the store', () => {
  it('refuses writes from its start, is not ready, and answers reads', async () => {
    const store = await startBentBy(-60_000)
    expect(await create()).toEqual([503, 'clock_untrusted'])
    expect(await codeOf(await get('/health/ready'))).toEqual([503, 'clock_untrusted'])
    expect((await get('/health/live')).status).toBe(200)
    let reads = await get('/entities')
    while (reads.status === 503) {
      await nextLook()
      reads = await get('/entities')
    }
    expect(reads.status).toBe(200)
    expect(await sample('trusted')).toBe(0)
    expect(await sample('offset_seconds')).toBeGreaterThan(55)
    expect(
      service.lines.filter((line) => line.includes('too far apart; synchronise')),
    ).toHaveLength(1)
    expect(store.records('entity-ada')).toEqual([])
  })
})

itThoroughly(
  'a clock that lags behind the facts of an embedded store is logged, and writes continue',
  async () => {
    const place = folder()
    const store = await openSqliteStore(join(place, 'ahead.db'))
    const later = { now: () => new Date(Date.now() + 3_600_000) }
    await createEntityUseCase(
      store,
      later,
      uuidGenerator,
    )({
      externalId: 'of-later',
      properties: {},
      requestId: 'r',
    })
    await store.close()
    service = await StartedService.start(place, {
      STORE_URL: 'sqlite:./ahead.db',
      READ_MODEL: 'memory:',
      API_KEY: apiKey,
    })
    await service.line((line) => line.includes('the clock is behind the latest fact'))
    const behind = await sample('behind_log_seconds')
    expect(behind).toBeGreaterThan(3_000)
    expect(behind).toBeLessThanOrEqual(3_600)
    expect(await sample('trusted')).toBeUndefined()
    expect(await create()).toEqual([201, undefined])
    expect((await get('/health/ready')).status).toBe(200)
  },
)
