import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from '@jest/globals'
import type { EventStoreDbEventStore } from '../../../../src/adapters/eventstoredb/append/eventstoredb-event-store.js'
import {
  closeStream,
  type ClosingAccess,
} from '../../../../src/adapters/eventstoredb/erasing/close-stream.js'
import { systemClock, uuidGenerator } from '../../../../src/adapters/system/clock-and-ids.js'
import type { Removal } from '../../../../src/application/erasing/ports/erasable.js'
import { toStored } from '../../../../src/application/facts/fact-format.js'
import type { Append } from '../../../../src/application/recording/ports/event-store.js'
import { voidEventUseCase } from '../../../../src/application/recording/void-event.js'
import type { EventStoreDouble } from '../../../support/eventstoredb/event-store-double.js'
import type { Aim, Step } from '../../../support/eventstoredb/faults.js'
import { keyHash } from '../../../support/stored-facts.js'
import { bench, longTimeoutMs } from '../open-store.js'

const { start, open } = bench()
const at = '2026-11-20T09:30:00.007Z'
const externalId = 'ada'
const stream = `entity-${externalId}`

/** The time limit of a close that cannot end, in milliseconds. */
const timeoutMs = 1_500

let double: EventStoreDouble
let store: EventStoreDbEventStore
/** Another process. */
let other: EventStoreDbEventStore
let entityId: string

beforeEach(async () => {
  double = await start()
  const erasing = () => open(double.connectionString, longTimeoutMs, true)
  store = erasing()
  other = erasing()
  entityId = await create(store)
  await store.append(event())
})

async function create(by: EventStoreDbEventStore): Promise<string> {
  const id = randomUUID()
  const data = { externalId, properties: {}, createdAt: at }
  const fact = toStored({ id, type: 'EntityCreated', data }, { requestId: 'r', keyHash: undefined })
  await by.append({ stream, expected: 'new', facts: [fact] })
  return id
}

function event(key?: string): Append {
  const keyed = key === undefined ? undefined : keyHash(key)
  const data = { entityExternalId: externalId, name: 'purchase', properties: {}, recordedAt: at }
  const fact = toStored(
    { id: randomUUID(), type: 'EventRecorded', data },
    { requestId: 'r', keyHash: keyed },
  )
  return {
    stream,
    expected: 'existing',
    facts: [fact],
    ...(keyed === undefined ? {} : { key: keyed }),
  }
}

function close(by = store, suppress = true) {
  const data = { erasureId: 'the-erasure', entityId, at }
  const fact = toStored(
    { id: randomUUID(), type: 'EntityErased', data },
    { requestId: 'r', keyHash: undefined },
  )
  return by.erasable.close({ externalId, entityId, fact, suppress })
}

function remove(by: EventStoreDbEventStore, removal: Removal) {
  return by.erasable.remove(removal, new AbortController().signal)
}

/** The types of the events in the stream, oldest first. */
const types = () => double.records(stream).map(({ type }) => type)
const refusal = (code: string) => expect.objectContaining({ code })
const erased = ['EntityCreated', 'EventRecorded', 'EntityErased']

/** Holds a close after its `EntityErased` is stored, until `release`. */
async function closeHeld(suppress = true, by = store) {
  const gate = double.faults.hold('afterWrite', { stream })
  const closing = close(by, suppress)
  closing.catch(() => undefined)
  await gate.reached
  const release = () => {
    gate.release()
  }
  return { closing, release }
}

describe('closing a stream', () => {
  const calls: readonly (readonly [what: string, at: Step, aim: Aim])[] = [
    ['a read', 'beforeRead', { rpc: 'read', stream }],
    ['the second read', 'beforeRead', { rpc: 'read', stream, times: 2 }],
    ['the check of the right', 'beforeRead', { rpc: 'delete' }],
    ['the append before it is stored', 'beforeWrite', {}],
    ['the append after it is stored', 'afterWrite', {}],
    ['the deletion before it is stored', 'beforeWrite', { rpc: 'delete', times: 2 }],
    ['the deletion after it is stored', 'afterWrite', { rpc: 'delete' }],
  ]

  it.each(calls.flatMap((call) => [true, false].map((suppress) => [...call, suppress] as const)))(
    'can be repeated after an interruption of %s (%s, %j, suppressed: %s)',
    async (_what, step, aim, suppress) => {
      double.faults.drop(step, aim)
      const codes = ['store_unavailable', 'outcome_unknown']
      await close(store, suppress).catch((error: unknown) => {
        expect(codes).toContain((error as { code: string }).code)
      })
      double.faults.clear()
      await close(other, suppress)
      expect(types().filter((type) => type !== '$streamDeleted')).toEqual(erased)
      const code = suppress ? 'stream_erased' : 'stream_missing'
      await expect(store.append(event())).rejects.toEqual(refusal(code))
      await expect(other.append(event('k'))).rejects.toEqual(refusal(code))
    },
  )

  it('stores another EntityErased, with its own id and position, after a fact that followed the first', async () => {
    const { closing, release } = await closeHeld(false)
    await other.append(event())
    release()
    const { position } = await closing
    expect(types()).toEqual([...erased, 'EventRecorded', 'EntityErased'])
    const facts = double.records(stream)
    expect(String(facts[4]?.position)).toBe(position)
    expect(facts[4]?.id).not.toBe(facts[2]?.id)
  })

  it('ends under constant writes when the id is blocked', async () => {
    const append = double.faults.hold('beforeWrite', { stream })
    const closing = close()
    await append.reached
    await other.append(event())
    const second = double.faults.hold('afterWrite', { stream })
    append.release()
    await second.reached
    await other.append(event())
    second.release()
    expect(await closing).toMatchObject({ replayed: false })
    const [created, recorded, entityErased] = erased
    expect(types()).toEqual([
      ...[created, recorded, recorded, entityErased, recorded],
      '$streamDeleted',
    ])
  })

  it.each(['a blocked id', 'a reusable id'])(
    'finds the positions of facts between the EntityErased and the deletion: %s',
    async (id) => {
      const suppress = id === 'a blocked id'
      const { closing, release } = await closeHeld(suppress)
      const late = [await other.append(event()), await other.append(event())]
      release()
      await closing
      if (!suppress) await create(other)
      const first = double.records(stream).find(({ type }) => type === 'EntityErased')
      const removal = { entityId, closedAt: String(first?.position), suppress }
      const { positions } = await remove(store, removal)
      expect(positions).toEqual(late.map(({ position }) => position))
    },
  )

  it('delays the appends of its own process until it ends', async () => {
    const { closing, release } = await closeHeld(false)
    const append = store.append(event())
    append.catch(() => undefined)
    release()
    await closing
    await expect(append).rejects.toEqual(refusal('stream_missing'))
    expect(types()).toEqual(erased)
  })

  it('does not change another incarnation that begins during an earlier attempt', async () => {
    const append = double.faults.hold('beforeWrite', { stream })
    const late = close(store, false)
    await append.reached
    await close(other, false)
    const young = await create(other)
    append.release()
    await late
    await other.append(event())
    expect(types()).toEqual([...erased, 'EntityCreated', 'EventRecorded'])
    const first = await other.append({ ...event(), expected: 'first' })
    expect(first.facts[0]?.id).toBe(young)
  })

  it('reads again when another incarnation begins between its two reads', async () => {
    const [older, younger] = [randomUUID(), randomUUID()]
    const context = { requestId: 'r', keyHash: undefined }
    const data = { externalId, properties: {}, createdAt: at }
    const fact = toStored({ id: younger, type: 'EntityCreated', data }, context)
    const recorded = { fact, revision: 3n, position: 8n, key: undefined }
    const begunAgain = { ...recorded, fact: { ...fact, type: '$metadata', data: '{"$tb":3}' } }
    const looks = [[], [begunAgain], [recorded], [recorded]]
    const unexpected = () => Promise.reject(new Error('nothing is to be written'))
    const access: ClosingAccess = {
      read: () => Promise.resolve(looks.shift()),
      end: () => Promise.resolve(9),
      timeIsUp: () => looks.length === 0,
      append: unexpected,
      remove: unexpected,
      pause: unexpected,
    }
    const erasure = { erasureId: 'the-erasure', entityId: older, at }
    const closing = toStored({ id: randomUUID(), type: 'EntityErased', data: erasure }, context)
    const asked = { externalId, entityId: older, fact: closing, suppress: false }
    expect(await closeStream(asked, access)).toEqual({ position: '9', replayed: true })
  })

  it('deletes nothing of another incarnation that begins after the deletion was sent', async () => {
    const { closing, release } = await closeHeld(false)
    const deletion = double.faults.hold('beforeWrite', { rpc: 'delete' })
    release()
    await deletion.reached
    await close(other, false)
    await create(other)
    deletion.release()
    await closing
    expect(await other.append(event())).toMatchObject({ replayed: false })
  })

  it('stores nothing when the user may not delete streams, and names the missing right', async () => {
    double.faults.refuse('access-denied', { rpc: 'delete' })
    await expect(close()).rejects.toEqual(refusal('not_ready'))
    expect(types()).toEqual(['EntityCreated', 'EventRecorded'])
  })

  it('rejects with store_unavailable when the store is away, and stores nothing', async () => {
    await double.refuseConnections()
    await expect(close()).rejects.toEqual(refusal('store_unavailable'))
    await double.listen()
    expect(types()).toEqual(['EntityCreated', 'EventRecorded'])
  })
})

describe('removing the facts', () => {
  it.each([true, false])(
    'deletes a stream that an interrupted close left open (suppressed: %s), also after another fact',
    async (suppress) => {
      const impatient = open(double.connectionString, timeoutMs, true)
      const { closing, release } = await closeHeld(suppress, impatient)
      double.faults.refuse('unknown-error', { rpc: 'delete', times: Infinity })
      const ended = expect(closing).rejects.toEqual(refusal('outcome_unknown'))
      release()
      await ended
      double.faults.clear()
      await other.append(event())
      const closedAt = String(double.records(stream)[2]?.position)
      const removal = { entityId, closedAt, suppress }
      expect(await remove(other, removal)).toMatchObject({ isDone: true })
      const code = suppress ? 'stream_erased' : 'stream_missing'
      await expect(other.append(event())).rejects.toEqual(refusal(code))
      const left = types().filter((type) => type !== '$streamDeleted')
      expect(left).toEqual([...erased, 'EventRecorded', 'EntityErased'])
      await remove(other, removal)
      double.scavenge()
      await remove(other, removal)
    },
  )

  it('does not change another incarnation', async () => {
    await close(store, false)
    const closedAt = String(double.records(stream)[2]?.position)
    await create(store)
    await store.erasable.remove(
      { entityId, closedAt, suppress: false },
      new AbortController().signal,
    )
    expect(await store.append(event())).toMatchObject({ replayed: false })
  })
})

describe('an append with a key', () => {
  it('waits while the stream ends with an EntityErased, and stores nothing there', async () => {
    await other.append(event('before'))
    const { closing, release } = await closeHeld()
    const append = other.append(event('k'))
    append.catch(() => undefined)
    await expect(readsOf(other)).resolves.toBe('done')
    release()
    await closing
    await expect(append).rejects.toEqual(refusal('stream_erased'))
    expect(types().at(-2)).toBe('EntityErased')
  })

  /** Waits for round trips, so that the server has read all earlier requests. */
  async function readsOf(by: EventStoreDbEventStore): Promise<string> {
    for (let n = 0; n < 20; n += 1) await by.check()
    return 'done'
  }

  it('that voids an event finds the erasure of another process, which follows the first lookup', async () => {
    const finder = async () => {
      await close(other)
      return undefined
    }
    const cameAt = performance.now()
    const request = { requestId: 'r', externalId, eventId: 'x', reason: undefined, cameAt }
    const voiding = voidEventUseCase({ store, clock: systemClock, ids: uuidGenerator, finder })
    await expect(voiding(request)).rejects.toEqual(refusal('entity_erased'))
  })

  it('does not begin a deleted stream again, although its process knows the last revision', async () => {
    await other.append(event('before'))
    await close(store, false)
    await expect(other.append(event('k'))).rejects.toEqual(refusal('stream_missing'))
    await expect(other.append(event('before'))).rejects.toEqual(refusal('stream_missing'))
    expect(types().at(-1)).toBe('EntityErased')
  })

  it('in another incarnation is not mistaken for an append of the former one', async () => {
    await other.append(event('old'))
    await close(store, false)
    entityId = await create(store)
    await store.append(event('new'))
    expect(await other.append(event('new'))).toMatchObject({ replayed: true })
    expect(await other.append(event('old'))).toMatchObject({ replayed: false })
    expect(await store.append(event('old'))).toMatchObject({ replayed: true })
  })
})
