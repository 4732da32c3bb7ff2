import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { damageIn } from '../../fault-injection/file-damage.js'
import type { ErasureReceipt } from '../../src/client/dossier.js'
import { InjectedFaults, type DiskFault } from '../support/disk-faults.js'
import {
  allPurged,
  bytesIn,
  filesWith,
  kill,
  record,
  startErasing,
  type ErasingService,
  until,
} from '../support/erasing-service.js'
import { itWithStrace } from '../support/strace.js'
import { temporaryFolders } from '../support/temporary-folder.js'

const folder = temporaryFolders()
const lasting = temporaryFolders(afterAll)
const secret = 'a text of this entity alone'
const everybody = { title: 'All', kind: 'rule', rule: { everyone: true } } as const
const others = 40
/** Use 30 before a release. */
const kills = Number(process.env['ERASING_KILLS'] ?? 8)

/** Creates ada with so many events, bob with a few, and a segment of both. */
async function filled(events: number, place = folder()): Promise<string> {
  const { service, client } = await startErasing(place)
  for (const id of ['ada', 'bob']) await client.entities.create(id)
  await client.segments.define('all', everybody)
  await record(client, 'ada', { events, note: secret })
  await record(client, 'bob', { events: others, note: 'his own' })
  await until(async () => ((await client.segments.get('all')).members === 2 ? true : undefined))
  await service.end()
  return place
}

/** Repeats the request until a response comes, as a client does after a kill. */
async function erased({ client }: ErasingService): Promise<readonly ErasureReceipt[]> {
  await until(async () => {
    try {
      await client.erasures.begin('ada', {}, { idempotencyKey: 'the-request' })
      return true
    } catch (error) {
      expect(error).toMatchObject({ status: 503 })
      return undefined
    }
  })
  return allPurged(client)
}

async function expectGone(place: string, { service, client }: ErasingService, events: number) {
  const receipts = await erased({ service, client })
  expect(receipts).toHaveLength(1)
  expect(receipts[0]?.removed?.facts).toEqual({ EntityCreated: 1, EventRecorded: events })
  await expect(client.entities.get('ada')).rejects.toMatchObject({ code: 'entity_not_found' })
  expect((await client.entities.get('bob')).event_count).toBe(others)
  await until(async () => ((await client.segments.get('all')).members === 1 ? true : undefined))
  expect((await client.service.status()).segments?.diverged).toBe(0)
  await service.end()
  for (const text of [secret, 'entity-ada', '"ada"']) {
    expect([text, filesWith(place, text)]).toEqual([text, []])
  }
  expect(damageIn(join(place, 'data', 'dossier.db'))).toEqual([])
}

it('continues after kills at any instant, and leaves no data of the entity', async () => {
  const events = 10_000
  const place = await filled(events)
  let started = await startErasing(place)
  await started.client.erasures.begin('ada', {}, { idempotencyKey: 'the-request' })
  for (let n = 0; n < kills; n += 1) {
    await pause(Math.random() * 400)
    await kill(started)
    started = await startErasing(place)
  }
  await expectGone(place, started, events)
  process.stdout.write(`${String(kills)} kills; ${String(bytesIn(place))} bytes searched\n`)
})

/** Disk calls that fail: one alone, or all from one on. */
const faults = [
  { call: 'pwrite64', error: 'EIO', growth: 2 },
  { call: 'pwrite64', error: 'ENOSPC', growth: 4 },
  { call: 'fsync', error: 'EIO', growth: 2 },
  { call: 'ftruncate', error: 'EIO', growth: 1.5 },
  { call: 'write', error: 'ENOSPC', growth: 1.5 },
] as const

describe('a disk that fails during an erasure', () => {
  const events = 400
  let original: string

  beforeAll(async () => {
    original = await filled(events, lasting())
  })

  /** Whether a call failed. */
  async function round(fault: Omit<DiskFault, 'paths'>): Promise<boolean> {
    const place = folder()
    cpSync(join(original, 'data'), join(place, 'data'), { recursive: true })
    const started = await startErasing(place)
    const names = ['dossier.db', 'dossier.db-wal', 'dossier.db.secret.new', 'erasure-ledger']
    const paths = [...names, 'read-model.db', 'read-model.db-wal', ''].map((name) =>
      join(place, 'data', name),
    )
    const injected = await InjectedFaults.into(started.service.pid, { paths, ...fault })
    const begun = started.client.erasures.begin('ada', {}, { idempotencyKey: 'the-request' })
    const failed = begun.then(
      () => allPurged(started.client).catch(() => undefined),
      () => undefined,
    )
    await Promise.race([failed, started.service.ended, pause(2_500, undefined, { ref: false })])
    await injected.release()
    await kill(started)
    await expectGone(place, await startErasing(place), events)
    return injected.count > 0
  }

  itWithStrace.each(faults)(
    'leaves no half-recorded erasure: $call, $error',
    async ({ call, error, growth }) => {
      let [rounds, met] = [0, 0]
      for (let n = 1, isMet = true; isMet; n = Math.max(n + 1, Math.round(n * growth))) {
        isMet = await round({ failing: [{ calls: [call], error, when: String(n) }] })
        rounds += 1
        met += Number(isMet)
      }
      expect(await round({ failing: [{ calls: [call], error, when: '1+' }] })).toBe(met > 0)
      process.stdout.write(`${call} ${error}: ${String(rounds)} rounds, ${String(met)} met\n`)
    },
  )
})
