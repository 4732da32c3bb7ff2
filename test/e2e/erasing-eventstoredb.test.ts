import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from '@jest/globals'
import { Dossier } from '../../src/client/dossier.js'
import { EventStoreDouble } from '../support/eventstoredb/event-store-double.js'
import { until } from '../support/erasing-service.js'
import { runProgram } from '../support/run-program.js'
import { startedProgram } from '../support/started-programs.js'
import { StartedService } from '../support/started-service.js'
import { itThoroughly } from '../support/thoroughness.js'
import { temporaryFolders } from '../support/temporary-folder.js'

const folder = temporaryFolders()
const doubles: EventStoreDouble[] = []
const everybody = { title: 'All', kind: 'rule', rule: { everyone: true } } as const

afterEach(async () => {
  await Promise.all(doubles.splice(0).map((double) => double.close()))
})

async function startDouble(): Promise<EventStoreDouble> {
  const double = await EventStoreDouble.start()
  doubles.push(double)
  return double
}

function envOf(double: EventStoreDouble, ERASE = 'on') {
  const READ_MODEL = 'data/read-model.db'
  return { STORE_URL: double.connectionString, READ_MODEL, ERASE, VOID: 'on' }
}

async function start(env: ReturnType<typeof envOf>, place = folder()) {
  const service = await StartedService.start(place, env)
  const client = new Dossier({ url: service.origin, key: service.key })
  return { service, client }
}

/** Creates ada and adam, who are both members of the segment. */
async function people(client: Dossier): Promise<string> {
  await client.entities.create('ada', { properties: { plan: 'free' } })
  await client.entities.create('adam')
  await client.segments.define('all', everybody)
  for (let n = 0; n < 20; n += 1) await client.entities.record('ada', { name: 'buy' })
  await until(async () => ((await client.segments.get('all')).members === 2 ? true : undefined))
  return (await client.entities.get('ada')).entity_id
}

const gone = { code: 'entity_not_found' }
const erased = { code: 'entity_erased' }

describe('an entity that is erased from EventStoreDB', () => {
  it('is not found from the 202 on, and its receipt waits until each node was scavenged', async () => {
    const double = await startDouble()
    const place = folder()
    const env = envOf(double)
    let { service, client } = await start(env, place)
    const entityId = await people(client)
    const [event] = (await client.entities.events('ada').page()).items
    const { erasure } = await client.erasures.begin('ada')
    await expect(client.entities.get('ada')).rejects.toMatchObject(gone)
    await expect(client.entities.create('ada')).rejects.toMatchObject(erased)
    await expect(client.entities.record('ada', { name: 'buy' })).rejects.toMatchObject(erased)
    await expect(client.entities.voidEvent('ada', event?.id ?? '')).rejects.toMatchObject(erased)
    await expect(client.entities.update('ada', { upsert: true })).rejects.toMatchObject(erased)
    expect((await client.erasures.begin('ada')).erasure).toBe(erasure)
    const lifted = client.erasures.liftSuppression(erasure)
    await expect(lifted).rejects.toMatchObject({ code: 'not_possible' })
    const waiting = await until(async () => {
      const receipt = await client.erasures.get(erasure)
      return receipt.removed === null || receipt.places.length === 0 ? undefined : receipt
    })
    const node = `127.0.0.1:${String(double.port)}`
    expect(waiting.places).toMatchObject([{ node, state: 'waiting', for: 'scavenge' }])
    expect(waiting.removed).toMatchObject({
      facts: { EntityCreated: 1, EventRecorded: 20 },
      memberships: 1,
    })
    const { members, digest } = await client.segments.get('all')
    expect(members).toBe(1)
    await service.end()
    double.scavenge()
    for (const ending of ['', '-wal', '-shm']) {
      rmSync(join(place, 'data', `read-model.db${ending}`), { force: true })
    }
    ;({ service, client } = await start(env, place))
    await until(async () => ((await client.service.status()).reads === 'ready' ? true : undefined))
    const purged = await until(async () => {
      const receipt = await client.erasures.get(erasure)
      return receipt.places.every(({ state }) => state === 'purged') ? receipt : undefined
    })
    expect(purged.places).toMatchObject([{ node, verified: expect.stringContaining('nothing at') }])
    const all = await until(async () => {
      const segment = await client.segments.get('all')
      return segment.status === 'building' ? undefined : segment
    })
    expect(all).toMatchObject({ members, digest, status: 'live' })
    expect((await client.service.status()).segments?.diverged).toBe(0)
    const left = (await client.facts().page({ limit: 1_000 })).items.flatMap(({ type, data }) =>
      type === 'EntityLeftSegment' ? [data] : [],
    )
    expect(left).toMatchObject([{ entity_id: entityId, cause: { kind: 'erased' } }])
    await service.end()
    const program = startedProgram('dossier')
    const audit = await runProgram(program, ['audit', '--entities', '10'], { cwd: place, ...env })
    expect([audit.stderr, audit.code]).toEqual(['', 0])
  }, 120_000)

  itThoroughly(
    'stays, with nothing recorded, when the user of the store may not delete streams',
    async () => {
      const double = await startDouble()
      const [env, place] = [envOf(double), folder()]
      let { service, client } = await start(env, place)
      const entityId = await people(client)
      double.faults.refuse('access-denied', { rpc: 'delete', times: Infinity })
      const denied = { code: 'not_ready', status: 409 }
      await expect(client.erasures.begin('ada')).rejects.toMatchObject(denied)
      double.faults.clear()
      expect(double.records('erasures')).toEqual([])
      await service.end()
      // The ledger does not have the entity either: its entities are erased before the first request is served.
      ;({ service, client } = await start(env, place))
      await until(async () =>
        (await client.service.status()).reads === 'ready' ? true : undefined,
      )
      expect((await client.entities.get('ada')).entity_id).toBe(entityId)
      expect(double.records('erasures')).toEqual([])
      await service.end()
    },
    120_000,
  )

  itThoroughly(
    'is not found after a kill between the EntityErased and the deletion of the stream',
    async () => {
      const double = await startDouble()
      const env = envOf(double)
      const place = folder()
      const killed = await start(env, place)
      await people(killed.client)
      const gate = double.faults.hold('afterWrite', { stream: 'entity-ada' })
      const headers = { authorization: `Bearer ${killed.service.key}` }
      const begun = killed.service.post('/erasures', { external_id: 'ada' }, headers)
      begun.catch(() => undefined)
      await gate.reached
      killed.service.signal('SIGKILL')
      await killed.service.ended
      gate.release()
      const { service, client } = await start(env, place)
      // The ledger has the entity, so nothing is served before.
      await until(async () => {
        const { status } = await fetch(`${service.origin}/erasures`, { headers })
        return status === 503 ? undefined : true
      })
      const receipt = await until(async () => {
        const [one] = (await client.erasures.list().page()).items
        return one?.removed === null ? undefined : one
      })
      expect(receipt.removed).toMatchObject({ facts: { EntityCreated: 1, EventRecorded: 20 } })
      const types = double.records('entity-ada').map(({ type }) => type)
      expect(types.slice(-2)).toEqual(['EntityErased', '$streamDeleted'])
      await expect(client.entities.record('ada', { name: 'buy' })).rejects.toMatchObject(erased)
      await service.end()
    },
    120_000,
  )
})
