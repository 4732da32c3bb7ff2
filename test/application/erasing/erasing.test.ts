import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from '@jest/globals'
import { uuidGenerator } from '../../../src/adapters/system/clock-and-ids.js'
import type { ErasingParts } from '../../../src/application/erasing/erase-entity.js'
import { ErasureLog } from '../../../src/application/erasing/erasure-log.js'
import { erasingUseCases } from '../../../src/application/erasing/erasing-use-cases.js'
import { ErasureWorker } from '../../../src/application/erasing/erasure-worker.js'
import type {
  Erasable,
  ErasurePlace,
  RemovedEntity,
} from '../../../src/application/erasing/ports/erasable.js'
import type {
  ErasedEntity,
  ErasureDryRun,
} from '../../../src/application/erasing/ports/erasure-queries.js'
import { Refusal } from '../../../src/application/ports/refusal.js'
import { toStored } from '../../../src/application/facts/fact-format.js'
import { entityStream } from '../../../src/domain/entity.js'
import { isOpen } from '../../../src/domain/erasure-receipts.js'
import type { ErasureFact } from '../../../src/domain/erasures.js'
import { ErasingMemoryStore } from '../../support/erasing-memory-store.js'
import { ManualPause } from '../../support/manual-pause.js'
import { silentLog } from '../../support/silent-log.js'

const begin = Date.parse('2026-11-20T09:30:00.000Z')
let passedMs: number
const clock = { now: () => new Date(begin + passedMs) }
const requestId = 'the-request'

let store: ErasingMemoryStore
let known: Set<string>
/** Why the ledger rejects appends. */
let fullDisk: Error | undefined
/** Why the ledger cannot be opened. */
let lostMount: Error | undefined
/** When and where streams were closed, by entity id, as the read model knows. */
let closed: Map<string, { readonly at: string; readonly position: string }>
/** How often the worker was woken. */
let wakes: number
/** How much of the log the worker wanted the read model to know. */
let wanted: Set<string>

beforeEach(() => {
  passedMs = 0
  store = new ErasingMemoryStore()
  known = new Set()
  fullDisk = undefined
  lostMount = undefined
  closed = new Map()
  wakes = 0
  wanted = new Set()
})

function parts() {
  const ledger = {
    entityIds: known,
    check: () => (lostMount === undefined ? Promise.resolve() : Promise.reject(lostMount)),
    add: (ids: Iterable<string>) => {
      if (fullDisk !== undefined) return Promise.reject(fullDisk)
      for (const id of ids) known.add(id)
      return Promise.resolve()
    },
  }
  return {
    store,
    streams: store.erasable,
    erasures: new ErasureLog(store),
    ledger,
    moreRecipients: () => Promise.resolve([]),
    clock,
    ids: uuidGenerator,
  }
}

/** The use cases of one process. */
function useCases(streams: ErasingParts['streams'] = store.erasable) {
  return erasingUseCases({
    ...parts(),
    streams,
    dryRun: () => Promise.reject(new Error('not looked at')),
    closedAt: (entityId) => Promise.resolve(closed.get(entityId)),
    wake: () => {
      wakes += 1
    },
  })
}

async function create(externalId: string): Promise<string> {
  const id = randomUUID()
  const data = { externalId, properties: {}, createdAt: '2026-11-20T09:30:00.000Z' }
  const fact = toStored({ id, type: 'EntityCreated', data }, { requestId, keyHash: undefined })
  await store.append({ stream: entityStream(externalId), expected: 'new', facts: [fact] })
  return id
}

const asked = (more: object = {}) => ({
  externalId: 'ada',
  suppress: true,
  recipients: ['mirror'],
  reference: undefined,
  requestId,
  ...more,
})
const refusal = (code: string) => expect.objectContaining({ code })

describe('erasing an entity', () => {
  it('closes the stream of the entity, and a repeat with the key gets the same receipt', async () => {
    const entityId = await create('ada')
    const { erase } = useCases()
    const first = await erase(asked({ idempotencyKey: 'a' }))
    expect(first).toMatchObject({ replayed: false, erasure: { entityId, suppress: true } })
    expect([...known]).toEqual([entityId])
    const again = await erase(asked({ idempotencyKey: 'a' }))
    expect([again.replayed, again.erasure.id]).toEqual([true, first.erasure.id])
    const other = erase(asked({ idempotencyKey: 'a', reference: 'another' }))
    await expect(other).rejects.toEqual(refusal('idempotency_key_reused'))
  })

  it('is one erasure for any number of concurrent requests and processes', async () => {
    await create('ada')
    const all = await Promise.all(
      Array.from({ length: 8 }, () => useCases()).map(({ erase }) => erase(asked())),
    )
    expect(new Set(all.map(({ erasure }) => erasure.id)).size).toBe(1)
    expect(all.filter(({ replayed }) => !replayed)).toHaveLength(1)
    expect((await useCases().listErasures({ after: 0, limit: 10 })).items).toHaveLength(1)
  })

  it('wakes the worker, which does not poll first', async () => {
    await create('ada')
    await useCases().erase(asked())
    expect(wakes).toBe(1)
  })

  it('refuses an entity that never existed, and stores nothing', async () => {
    await expect(useCases().erase(asked())).rejects.toEqual(refusal('entity_not_found'))
    expect((await store.head()).newest).toBe(0)
  })

  it('is refused in a store that can never erase, and so is a dry run', async () => {
    await create('ada')
    const { erase, erasureDryRun } = useCases('not_possible')
    await expect(erase(asked())).rejects.toEqual(refusal('not_possible'))
    await expect(erasureDryRun('ada', 0)).rejects.toEqual(refusal('not_possible'))
    await expect(useCases('not_ready').erase(asked())).rejects.toEqual(refusal('not_ready'))
    expect((await store.head()).newest).toBe(1)
  })

  it('is refused when the ledger cannot be opened, and stores nothing', async () => {
    await create('ada')
    lostMount = new Error('read-only file system')
    await expect(useCases().erase(asked())).rejects.toEqual(refusal('ledger_unavailable'))
    expect((await useCases().listErasures({ after: 0, limit: 10 })).items).toEqual([])
    lostMount = undefined
    expect(await useCases().erase(asked())).toMatchObject({ replayed: false })
  })

  it('is recorded and continued by the worker when the ledger takes no id', async () => {
    await create('ada')
    fullDisk = new Error('no space left on device')
    await expect(useCases().erase(asked())).rejects.toEqual(refusal('erasure_not_in_ledger'))
    expect((await useCases().listErasures({ after: 0, limit: 10 })).items).toHaveLength(1)
  })

  it('has an unknown outcome when the stream cannot be closed now, and the worker closes it later', async () => {
    await create('ada')
    const away = () => Promise.reject(new Refusal('store_unavailable', 'the store is away'))
    const streams = { ...store.erasable, close: away }
    await expect(useCases(streams).erase(asked())).rejects.toEqual(refusal('outcome_unknown'))
    expect((await useCases().listErasures({ after: 0, limit: 10 })).items).toHaveLength(1)
  })

  it('needs no read of the fact that it recorded', async () => {
    await create('ada')
    const readStream = store.readStream.bind(store)
    let isRecorded = false
    store.readStream = async (stream, from) => {
      if (isRecorded) throw new Refusal('store_unavailable', 'the store is away')
      isRecorded = true
      return readStream(stream, from)
    }
    expect(await useCases().erase(asked())).toMatchObject({ replayed: false })
    expect(await readStream('erasures', 0)).toHaveLength(1)
  })

  it('is another erasure for another stream incarnation of the id', async () => {
    await create('ada')
    const { erase } = useCases()
    const first = await erase(asked({ suppress: false }))
    await create('ada')
    const second = await erase(asked({ suppress: false }))
    expect(second.erasure.id).not.toBe(first.erasure.id)
  })
})

describe('a recorded erasure', () => {
  it('can be confirmed only by its recipients, and keeps the highest position of each', async () => {
    await create('ada')
    const { erase, confirmErasure } = useCases()
    const { erasure } = await erase(asked())
    if (erasure.effective !== undefined) closed.set(erasure.entityId, erasure.effective)
    const confirm = (recipient: string, position: string) =>
      confirmErasure({ erasureId: erasure.id, recipient, position, mayErase: true, requestId })
    await expect(confirm('another', '9')).rejects.toEqual(refusal('validation_failed'))
    expect((await confirm('mirror', '9')).replayed).toBe(false)
    expect((await confirm('mirror', '8')).replayed).toBe(true)
    const { confirmations } = (await confirm('mirror', '12')).erasure
    expect(confirmations).toMatchObject([{ recipient: 'mirror', position: '12' }])
  })

  it('cannot be confirmed at a position before it, whether or not the facts are removed', async () => {
    for (let other = 0; other < 5; other += 1) await create(`other ${String(other)}`)
    const entityId = await create('ada')
    const { erase, confirmErasure } = useCases()
    const { erasure, position } = await erase(asked())
    const confirm = (at: number) =>
      confirmErasure({
        erasureId: erasure.id,
        recipient: 'mirror',
        position: String(at),
        mayErase: false,
        requestId,
      })
    await expect(confirm(Number(position))).rejects.toEqual(refusal('read_model_behind'))
    closed.set(entityId, { at: '2026-11-20T09:30:00.000Z', position })
    await expect(confirm(Number(position) - 1)).rejects.toEqual(refusal('validation_failed'))
    expect((await confirm(Number(position))).replayed).toBe(false)
  })

  it('reports when and where it became effective, before anything is removed', async () => {
    const entityId = await create('ada')
    const { erase, readErasure, listErasures } = useCases()
    const { erasure, position } = await erase(asked())
    const effective = { at: '2026-11-20T09:30:00.000Z', position }
    expect(erasure.effective).toEqual(effective)
    closed.set(entityId, effective)
    expect((await readErasure(erasure.id)).effective).toEqual(effective)
    expect((await listErasures({ after: 0, limit: 9 })).items).toMatchObject([{ effective }])
    expect((await erase(asked())).erasure.effective).toEqual(effective)
  })

  it('gives a repeat its own receipt when another entity has the name', async () => {
    await create('ada')
    const { erase, listErasures } = useCases()
    const request = asked({ idempotencyKey: 'a', suppress: false })
    const first = await erase(request)
    const later = await create('ada')
    const repeat = await erase(request)
    expect(repeat).toMatchObject({ replayed: true, erasure: { id: first.erasure.id } })
    const other = erase(asked({ idempotencyKey: 'a', suppress: true }))
    await expect(other).rejects.toEqual(refusal('idempotency_key_reused'))
    expect((await listErasures({ after: 0, limit: 10 })).items).toHaveLength(1)
    await expect(create('ada')).rejects.toEqual(refusal('stream_exists'))
    const again = await erase(asked({ idempotencyKey: 'b' }))
    expect(again).toMatchObject({ replayed: false, erasure: { entityId: later } })
  })

  it('cannot lift the suppression before the stream is closed, because closing would block the id again', async () => {
    const entityId = await create('ada')
    const { erasures } = parts()
    const at = '2026-11-20T09:30:00.000Z'
    const data = { entityId, suppress: true, recipients: [], at }
    await erasures.append(requestId, () => ({
      fact: { id: 'e', type: 'EntityErasureRecorded', data },
    }))
    const { liftSuppression, readErasure } = useCases()
    const lift = () => liftSuppression({ erasureId: 'e', requestId })
    await expect(lift()).rejects.toEqual(refusal('not_ready'))
    expect((await readErasure('e')).liftedAt).toBeUndefined()
    closed.set(entityId, { at, position: '3' })
    expect((await lift()).replayed).toBe(false)
  })

  it('ends when a caller with the scope erase reports a lost disk of a node, until the node is seen again', async () => {
    await create('ada')
    const { erase, confirmErasure, readErasure } = useCases()
    const { erasure } = await erase(asked({ recipients: [] }))
    const { id: erasureId, entityId, effective } = erasure
    const { erasures } = parts()
    const closedAt = effective ?? { at: '', position: '' }
    const counts = { facts: {}, keys: 0, memberships: 0 }
    const record = (type: ErasureFact['type'], more: object) => {
      const fact = { id: randomUUID(), type, data: { erasureId, at: closedAt.at, ...more } }
      return erasures.append(requestId, () => ({ fact: fact as ErasureFact }))
    }
    await record('ErasedFactsRemoved', { entityId, closedAt, ...counts })
    const node = { place: 'eventstoredb', node: '10.0.0.3:2113', state: 'waiting' }
    await record('ErasurePlaceChecked', { ...node, for: 'unreachable' })
    const say = (mayErase: boolean) =>
      confirmErasure({ erasureId, recipient: node.node, ...closedAt, mayErase, requestId })
    await expect(say(false)).rejects.toEqual(refusal('validation_failed'))
    expect(isOpen(await readErasure(erasureId))).toBe(true)
    expect([(await say(true)).replayed, (await say(true)).replayed]).toEqual([false, true])
    expect(isOpen(await readErasure(erasureId))).toBe(false)
    const later = { at: '2026-11-20T09:31:00.000Z' }
    await record('ErasurePlaceChecked', { ...node, for: 'scavenge', ...later })
    expect(isOpen(await readErasure(erasureId))).toBe(true)
  })

  it('is found by the external id that it blocks, and by no other id', async () => {
    await create('ada')
    const { erase, findBlockingErasure, liftSuppression } = useCases()
    expect(await findBlockingErasure('ada', requestId)).toBe(undefined)
    const { erasure } = await erase(asked())
    if (erasure.effective !== undefined) closed.set(erasure.entityId, erasure.effective)
    expect(await findBlockingErasure('ada', requestId)).toMatchObject({ id: erasure.id })
    expect(await findBlockingErasure('nobody', requestId)).toBe(undefined)
    await liftSuppression({ erasureId: erasure.id, requestId })
    expect(await findBlockingErasure('ada', requestId)).toBe(undefined)
  })

  it('permits reuse of the id once its suppression is lifted', async () => {
    await create('ada')
    const { erase, liftSuppression } = useCases()
    const { erasure } = await erase(asked())
    await expect(create('ada')).rejects.toEqual(refusal('stream_erased'))
    const lift = () => liftSuppression({ erasureId: erasure.id, requestId })
    if (erasure.effective !== undefined) closed.set(erasure.entityId, erasure.effective)
    expect((await lift()).replayed).toBe(false)
    expect((await lift()).replayed).toBe(true)
    await create('ada')
    const unknown = liftSuppression({ erasureId: 'no-such', requestId })
    await expect(unknown).rejects.toEqual(refusal('erasure_not_found'))
  })
})

const nothingRemoved = {
  knownTo: 99,
  logTime: 0,
  isFollowed: true,
  clock: [],
  removed: { facts: {}, keys: 0, positions: [] },
}

describe('the worker', () => {
  /** The first round ends when `begun` resolves. Each `pass` runs another round. */
  function worker(
    seen: () => ErasedEntity & { readonly knownTo: number; readonly logTime: number },
    streams: Erasable = store.erasable,
    dryRun: (externalId: string) => Promise<ErasureDryRun | undefined> = () =>
      Promise.resolve(undefined),
  ) {
    const pauses = new ManualPause()
    const its = new ErasureWorker({
      ...parts(),
      streams,
      lookups: {
        progress: (_id, known) => {
          wanted.add(known)
          return Promise.resolve(seen())
        },
        dryRun,
      },
      log: silentLog,
      pause: pauses.pause,
    })
    return { its, pauses }
  }

  it('removes nothing until the log contains all exits of the entity, and then everything', async () => {
    const entityId = await create('ada')
    const { erase, readErasure } = useCases()
    const { erasure, position } = await erase(asked({ recipients: [] }))
    let unpublishedLeaves = 1
    const { its, pauses } = worker(() => ({
      position,
      isApplied: true,
      unpublishedLeaves,
      memberships: 1,
      ...nothingRemoved,
    }))
    await its.start()
    await pauses.begun()
    expect((await readErasure(erasure.id)).removed).toBeUndefined()
    unpublishedLeaves = 0
    await pauses.pass()
    const { removed, places } = await readErasure(erasure.id)
    expect(removed).toMatchObject({ facts: { EntityCreated: 1 }, keys: 0, memberships: 1 })
    expect(places).toMatchObject([{ place: 'memory', state: 'purged' }])
    expect(its.status.open).toBe(0)
    // A store that keeps positions does not wait for a read model that lags.
    expect(wanted).toContain('so far')
    expect((await store.at(1))?.data).not.toContain('ada')
    expect((await store.at(1))?.id).toBe(entityId)
    await its.stop()
  })

  it('closes streams of recorded erasures, and of erasures that only the ledger knows', async () => {
    const entityId = await create('ada')
    known.add(entityId)
    const { its, pauses } = worker(() => ({
      externalId: 'ada',
      isApplied: false,
      unpublishedLeaves: 0,
      memberships: 0,
      ...nothingRemoved,
    }))
    await its.start()
    expect(its.isReady).toBe(false)
    await pauses.begun()
    await expect(create('ada')).rejects.toEqual(refusal('stream_erased'))
    await its.stop()
  })

  it('continues erasures that the ledger has while the ledger cannot be written', async () => {
    await create('ada')
    await create('bob')
    const { erase, readErasure } = useCases()
    const ada = await erase(asked())
    fullDisk = new Error('no space left on device')
    await expect(erase(asked({ externalId: 'bob' }))).rejects.toEqual(
      refusal('erasure_not_in_ledger'),
    )
    const bob = (await useCases().listErasures({ after: 1, limit: 1 })).items[0]
    const { its, pauses } = worker(() => ({
      position: ada.position,
      isApplied: true,
      unpublishedLeaves: 0,
      memberships: 0,
      ...nothingRemoved,
    }))
    await its.start()
    await pauses.begun()
    expect((await readErasure(ada.erasure.id)).removed).toBeDefined()
    expect((await readErasure(bob?.id ?? '')).removed).toBeUndefined()
    fullDisk = undefined
    await pauses.pass()
    expect((await readErasure(bob?.id ?? '')).removed).toBeDefined()
    await its.stop()
  })

  it('checks a waiting place every minute, and a place that needs a vacuum only after the next start', async () => {
    await create('ada')
    const { position } = await useCases().erase(asked())
    let looks = 0
    let state: ErasurePlace['state'] = 'waiting'
    const streams: Erasable = {
      ...store.erasable,
      check: () => {
        looks += 1
        return Promise.resolve([{ place: 'store', state }])
      },
    }
    const seen = { position, isApplied: true, unpublishedLeaves: 0, memberships: 0 }
    const begun = async () => {
      const { its, pauses } = worker(() => ({ ...seen, ...nothingRemoved }), streams)
      await its.start()
      await pauses.begun()
      return { its, pauses }
    }
    const first = await begun()
    const minute = async () => {
      passedMs += 60_000
      await first.pauses.pass()
      return looks
    }
    expect(await minute()).toBe(2)
    state = 'until_vacuum'
    expect([await minute(), await minute(), await minute()]).toEqual([3, 3, 3])
    await first.its.stop()
    const second = await begun()
    expect(looks).toBe(4)
    await second.its.stop()
  })

  it('records the end of an erasure whose entity a copy of the store omitted, once the whole log is applied', async () => {
    await create('ada')
    const { erasure } = await useCases().erase(asked())
    const copy = new ErasingMemoryStore()
    for (const stored of await store.readStream('erasures', 0)) {
      await copy.appendAt({ stream: 'erasures', revision: stored.revision - 1, facts: [stored] })
    }
    store = copy
    const nothing = { isApplied: false, unpublishedLeaves: 0, memberships: 0, ...nothingRemoved }
    const { its, pauses } = worker(() => nothing)
    await its.start()
    await pauses.begun()
    expect(wanted).toContain('all')
    expect((await useCases().readErasure(erasure.id)).removed).toMatchObject({ facts: {}, keys: 0 })
    expect(its.status.open).toBe(0)
    await its.stop()
  })

  describe('over a store that removes facts by itself', () => {
    let checked: RemovedEntity[]
    let nodes: ErasurePlace[]
    const places = ['1', '1048577']
    /** The positions of facts that the read model does not have. */
    const late = ['4194304']
    const floors = [{ fact: 'another', at: '2026-11-20T09:31:00.000Z' }]

    function overRemovingStore(
      seen: () => ErasedEntity & { readonly knownTo: number; readonly logTime: number },
      dryRun?: (externalId: string) => Promise<ErasureDryRun | undefined>,
    ) {
      checked = []
      nodes = [{ place: 'node', state: 'waiting', for: 'scavenge' }]
      const streams: Erasable = {
        ...store.erasable,
        remove: () => Promise.resolve({ facts: {}, keys: 0, positions: late, isDone: true }),
        check: (removed) => {
          checked.push(removed)
          return Promise.resolve(nodes)
        },
        keepsPositions: false,
      }
      return worker(seen, streams, dryRun)
    }

    it('records the counts of the read model, and checks the positions that it saw', async () => {
      const entityId = await create('ada')
      const { erase, readErasure } = useCases()
      const { erasure, position } = await erase(asked())
      const facts = { EntityCreated: 1, EventRecorded: 2 }
      const { its, pauses } = overRemovingStore(() => ({
        ...{ position, isApplied: true, knownTo: 9, logTime: 0 },
        ...{ unpublishedLeaves: 0, memberships: 1, isFollowed: true },
        ...{ clock: floors, removed: { facts, keys: 3, positions: places } },
      }))
      await its.start()
      await pauses.begun()
      const { removed } = await readErasure(erasure.id)
      expect(removed).toMatchObject({ facts, keys: 3, memberships: 1 })
      expect(checked).toEqual([{ entityId, positions: [...places, ...late] }])
      const recorded = (await store.readStream('erasures', 1))[0]
      expect(JSON.parse(recorded?.data ?? '')).toMatchObject({ entityId, clock: floors })
      await its.stop()
    })

    it('records the locations together, purged ones last, and forgets the positions at the end', async () => {
      await create('ada')
      const { erase, readErasure } = useCases()
      const { erasure, position } = await erase(asked())
      const seen = () => ({
        ...{ position, isApplied: true, isFollowed: true, knownTo: 9, logTime: 0 },
        ...{ unpublishedLeaves: 0, memberships: 1 },
        ...{ clock: floors, removed: { facts: {}, keys: 0, positions: places } },
      })
      const purged = (node: string): ErasurePlace => ({ place: 'store', node, state: 'purged' })
      const waits: ErasurePlace = { ...purged('b'), state: 'waiting', for: 'scavenge' }
      for (const looked of [
        [purged('a'), waits],
        [purged('a'), purged('b')],
      ]) {
        const { its, pauses } = overRemovingStore(seen)
        nodes = looked
        await its.start()
        await pauses.begun()
        await its.stop()
      }
      const recorded = (await store.readStream('erasures', 2)).map(({ data }) => data)
      expect(recorded.map((data) => JSON.parse(data) as object)).toMatchObject([
        waits,
        purged('a'),
        purged('b'),
      ])
      expect(checked).toMatchObject([{ positions: [...places, ...late] }])
      expect(await readErasure(erasure.id)).not.toHaveProperty('positions')
    })

    it('waits until a remaining fact follows the EntityErased before it records clock floors', async () => {
      await create('ada')
      const { erase, readErasure } = useCases()
      const { erasure, position } = await erase(asked())
      let isFollowed = false
      const { its, pauses } = overRemovingStore(() => ({
        ...nothingRemoved,
        ...{ position, isApplied: true, unpublishedLeaves: 0, memberships: 0, isFollowed },
        clock: isFollowed ? floors : [],
      }))
      await its.start()
      await pauses.begun()
      await pauses.pass()
      const types = async () => (await store.readStream('erasures', 1)).map(({ type }) => type)
      expect((await readErasure(erasure.id)).removed).toBeUndefined()
      expect(await types()).toEqual(['ErasurePlaceChecked'])
      isFollowed = true
      await pauses.pass()
      expect(await types()).toEqual(['ErasurePlaceChecked', 'ErasedFactsRemoved'])
      const recorded = (await store.readStream('erasures', 2))[0]
      expect(JSON.parse(recorded?.data ?? '')).toMatchObject({ clock: floors })
      await its.stop()
    })

    const unseen = {
      ...{ isApplied: false, unpublishedLeaves: 0, memberships: 0 },
      ...nothingRemoved,
    }

    it('records the end of an erasure whose facts the store removed before they were read', async () => {
      await create('ada')
      const { erase, readErasure } = useCases()
      const { erasure } = await erase(asked())
      const { its, pauses } = overRemovingStore(() => ({ ...unseen, knownTo: 7 }))
      await its.start()
      await pauses.begun()
      expect((await readErasure(erasure.id)).effective).toMatchObject({ position: '7' })
      await its.stop()
    })

    it('counts in the read model an entity that is still there although its EntityErased was removed', async () => {
      const entityId = await create('ada')
      const { erase, readErasure } = useCases()
      const { erasure, position } = await erase(asked())
      const facts = { EntityCreated: 1, EventRecorded: 2 }
      const found = { entityId, facts, keys: 3, positions: places, segments: [] }
      const { its, pauses } = overRemovingStore(
        () => ({ ...unseen, externalId: 'ada', knownTo: Number(position) }),
        (externalId) => Promise.resolve(externalId === 'ada' ? found : undefined),
      )
      await its.start()
      await pauses.begun()
      await pauses.pass()
      const { removed, positions } = await readErasure(erasure.id)
      expect(removed).toMatchObject({ facts, keys: 3 })
      expect(positions).toEqual([...places, ...late])
      await its.stop()
    })

    it('waits for an entity that is still there until the read model reaches its closed stream', async () => {
      await create('ada')
      const { erase, readErasure } = useCases()
      const { erasure, position } = await erase(asked())
      let knownTo = Number(position) - 1
      const { its, pauses } = overRemovingStore(() => ({ ...unseen, externalId: 'ada', knownTo }))
      await its.start()
      await pauses.begun()
      await pauses.pass()
      expect((await readErasure(erasure.id)).removed).toBeUndefined()
      knownTo += 1
      await pauses.pass()
      expect((await readErasure(erasure.id)).effective).toMatchObject({ position })
      await its.stop()
    })
  })
})
