import { beforeAll, expect, it } from '@jest/globals'
import { uuidGenerator } from '../../../src/adapters/system/clock-and-ids.js'
import { subjectOf, suppressedErasureOf } from '../../../src/application/erasing/erasure-hashes.js'
import { ErasureLog } from '../../../src/application/erasing/erasure-log.js'
import { erasingUseCases } from '../../../src/application/erasing/erasing-use-cases.js'
import { ErasureWorker } from '../../../src/application/erasing/erasure-worker.js'
import { toStored } from '../../../src/application/facts/fact-format.js'
import { entityStream } from '../../../src/domain/entity.js'
import type { Erasure } from '../../../src/domain/erasure-receipts.js'
import type { ErasureFact } from '../../../src/domain/erasures.js'
import { ErasingMemoryStore } from '../../support/erasing-memory-store.js'
import { countSteps } from '../../support/count-steps.js'
import { ManualPause } from '../../support/manual-pause.js'
import { silentLog } from '../../support/silent-log.js'
import { quickOrThorough } from '../../support/thoroughness.js'

const erasures = quickOrThorough({ quick: 2_500, thorough: 100_000 })
const together = 50
/** Fewer than the erasures, and enough for one request and one receipt. */
const fewSteps = 1_000

const at = '2026-11-20T09:30:00.000Z'
const clock = { now: () => new Date(at) }
const metadata = { requestId: 'r', keyHash: undefined }
const idOf = (kind: number, n: number) =>
  `${String(kind).padStart(8, '0')}-0000-4000-8000-${String(n).padStart(12, '0')}`

let store: ErasingMemoryStore
let log: ErasureLog

/** Fills the store with ended erasures. */
async function fill(): Promise<void> {
  for (let from = 0, revision = -1; from < erasures; from += together) {
    const facts = Array.from({ length: together }, (_, n) => ended(from + n)).flat()
    await store.appendAt({
      stream: 'erasures',
      revision,
      facts: facts.map((fact) => toStored(fact, metadata)),
    })
    revision += facts.length
  }
}

function ended(n: number): readonly ErasureFact[] {
  const [erasureId, entityId] = [idOf(1, n), idOf(2, n)]
  const closedAt = { at, position: '1' }
  return [
    {
      id: erasureId,
      type: 'EntityErasureRecorded',
      data: { entityId, suppress: true, recipients: [], at },
    },
    {
      id: idOf(3, n),
      type: 'ErasedFactsRemoved',
      data: { erasureId, entityId, closedAt, facts: {}, keys: 0, memberships: 0, at },
    },
    {
      id: idOf(4, n),
      type: 'ErasurePlaceChecked',
      data: { erasureId, place: 'memory', state: 'purged', at },
    },
  ]
}

beforeAll(async () => {
  store = new ErasingMemoryStore()
  await fill()
  log = new ErasureLog(store)
  await log.read()
}, 120_000)

function parts() {
  const known = new Set<string>()
  const ledger = {
    entityIds: known,
    check: () => Promise.resolve(),
    add: (ids: Iterable<string>) => {
      for (const id of ids) known.add(id)
      return Promise.resolve()
    },
  }
  const moreRecipients = () => Promise.resolve([])
  const parts = { store, erasures: log, ledger, clock, ids: uuidGenerator, moreRecipients }
  return { ...parts, streams: store.erasable }
}

async function create(externalId: string): Promise<void> {
  const data = { externalId, properties: {}, createdAt: at }
  const fact = toStored({ id: uuidGenerator.next(), type: 'EntityCreated', data }, metadata)
  await store.append({ stream: entityStream(externalId), expected: 'new', facts: [fact] })
}

it('no request visits all erasures', async () => {
  const useCases = erasingUseCases({
    ...parts(),
    dryRun: () => Promise.reject(new Error('not looked at')),
    closedAt: () => Promise.resolve(undefined),
    wake: () => undefined,
  })
  const request = { suppress: true, recipients: [], reference: undefined, requestId: 'r' }
  await create('ada')
  const requests = {
    erase: () => useCases.erase({ ...request, externalId: 'ada' }),
    repeat: () => useCases.erase({ ...request, externalId: 'ada' }),
    read: () => useCases.readErasure(idOf(1, erasures / 2)),
    list: () => useCases.listErasures({ after: erasures / 2, limit: 10 }),
  }
  for (const [name, send] of Object.entries(requests)) {
    const steps = await countSteps(send)
    expect([name, steps < fewSteps]).toEqual([name, true])
  }
})

it('a blocked name is compared with all erasures in slices', async () => {
  const named = Array.from({ length: 2_000 }, (_, n): Erasure => {
    const id = idOf(1, n)
    const subject = subjectOf(id, `customer ${String(n)}`, { keepsNames: true })
    const recorded = { entityId: idOf(2, n), suppress: true, recipients: [], ...subject }
    return { id, requestId: 'r', requestedAt: at, ...recorded, places: [], confirmations: [] }
  })
  let turns = 0
  let isDone = false
  const count = () => {
    turns += 1
    if (!isDone) setImmediate(count)
  }
  setImmediate(count)
  const found = await suppressedErasureOf(named, 'customer 1234')
  isDone = true
  expect(found?.id).toBe(idOf(1, 1_234))
  expect(turns).toBeGreaterThanOrEqual(9)
})

it('the worker visits all erasures only in its first round', async () => {
  const pauses = new ManualPause()
  const worker = new ErasureWorker({
    ...parts(),
    streams: store.erasable,
    lookups: {
      progress: () => Promise.reject(new Error('no entity is being erased')),
      dryRun: () => Promise.resolve(undefined),
    },
    log: silentLog,
    pause: pauses.pause,
  })
  await worker.start()
  await pauses.begun()
  expect(await countSteps(() => pauses.pass())).toBeLessThan(fewSteps)
  await worker.stop()
})
