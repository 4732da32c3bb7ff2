import { beforeEach, describe, expect, jest, test } from '@jest/globals'
import fc from 'fast-check'
import { ReadModelBehind } from '../../../src/application/reading/errors.js'
import type { TailLimits } from '../../../src/application/reading/fact-tail.js'
import {
  followFactsUseCase,
  type FollowQuery,
} from '../../../src/application/reading/follow-facts.js'
import type { FollowedFacts } from '../../../src/application/reading/followed-facts.js'
import { MemoryEventStore } from '../../../src/adapters/memory/memory-event-store.js'
import type { FeedFilter } from '../../../src/application/reading/read-facts.js'
import { addEntity, addEvents } from '../../support/feed-facts.js'
import { byForm } from '../../support/form.js'
import { LoggedStore } from '../../support/logged-store.js'
import { MemoryReadModel } from '../../support/memory-read-model.js'

let logged: LoggedStore
let readModel: MemoryReadModel
beforeEach(() => {
  logged = new LoggedStore(new MemoryEventStore())
  readModel = new MemoryReadModel(logged)
})

const want = { waitMs: 0 }

async function follow(
  limits?: TailLimits,
  query: FollowQuery = { start: 'start' },
): Promise<FollowedFacts> {
  return (await followFactsUseCase(readModel, limits)(query, want)).value
}

/** The positions of the facts up to the step in which it is caught up. */
async function untilCaughtUp(followed: FollowedFacts): Promise<readonly number[]> {
  const seen: number[] = []
  for (;;) {
    const step = await followed.next()
    if (step === undefined) throw new Error('it ended')
    seen.push(...step.facts.map(({ position }) => position))
    if (step.isCaughtUp) return seen
  }
}

async function next(followed: FollowedFacts): Promise<readonly number[]> {
  return (await followed.next())?.facts.map(({ position }) => position) ?? []
}

const ofLog = () => logged.facts.map(({ position }) => position)

/** Lets everything run that can. */
const settle = () => new Promise(setImmediate)

describe('a follower', () => {
  test('is caught up once', async () => {
    addEvents(logged, 'ada', 2)
    const followed = await follow()
    expect(await untilCaughtUp(followed)).toEqual([3, 6])
    addEvents(logged, 'ada', 1)
    expect(await followed.next()).toMatchObject({ facts: [{ position: 9 }], isCaughtUp: false })
    followed.end()
  })

  test('waits while there is nothing, and can be woken', async () => {
    const followed = await follow()
    await untilCaughtUp(followed)
    let step: unknown = 'none'
    const waiting = followed.next().then((got) => {
      step = got
    })
    await settle()
    expect(step).toBe('none')
    followed.wake()
    await waiting
    expect(step).toEqual({
      facts: [],
      leftOut: 0,
      reached: { position: 0, id: '' },
      isCaughtUp: false,
    })
    followed.end()
  })

  test('that ends resolves what waits, and leaves nothing behind', async () => {
    const followed = await follow()
    await untilCaughtUp(followed)
    const waiting = followed.next()
    followed.end()
    expect(await waiting).toBeUndefined()
    expect(await followed.next()).toBeUndefined()
    expect(readModel.watchers).toBe(0)
  })

  test('reads nothing and watches nothing before it is asked', async () => {
    const followed = await follow()
    expect(readModel.watchers).toBe(0)
    followed.end()
    expect(await followed.next()).toBeUndefined()
    expect(readModel.watchers).toBe(0)
  })

  test('ends when the read model is built anew, while it waits and while it reads', async () => {
    addEvents(logged, 'ada', 2)
    const waits = await follow()
    const reads = await follow()
    await untilCaughtUp(waits)
    await reads.next()
    const waiting = waits.next()
    readModel.beginBuilding()
    expect(await waiting).toBeUndefined()
    readModel.endBuilding()
    expect(await reads.next()).toBeUndefined()
    expect(readModel.watchers).toBe(0)
  })

  test('ends when the read model was built anew since its place was looked up', async () => {
    addEvents(logged, 'ada', 2)
    const followed = await follow()
    readModel.beginBuilding()
    readModel.endBuilding()
    expect(await followed.next()).toBeUndefined()
    expect(readModel.watchers).toBe(0)
  })

  test('ends when the read model is built anew while a page is on its way', async () => {
    addEvents(logged, 'ada', 2)
    const followed = await follow(undefined, { start: { position: 1 } })
    const waiting = followed.next()
    readModel.beginBuilding()
    readModel.endBuilding()
    expect(await waiting).toBeUndefined()
  })

  test('goes on when a read model that did not answer does', async () => {
    const followed = await follow()
    await untilCaughtUp(followed)
    const isBehind = jest.spyOn(readModel, 'ask').mockRejectedValue(new ReadModelBehind(0))
    addEvents(logged, 'ada', 1)
    const waiting = next(followed)
    await settle()
    isBehind.mockRestore()
    followed.wake()
    // What it is woken for comes first.
    expect(await waiting).toEqual([])
    expect(await next(followed)).toEqual([3])
    followed.end()
  })

  test('is told of a mistake of ours', async () => {
    const followed = await follow()
    await untilCaughtUp(followed)
    readModel.ask = () => Promise.reject(new TypeError('x'))
    addEvents(logged, 'ada', 1)
    await expect(followed.next()).rejects.toThrow(TypeError)
    expect(readModel.watchers).toBe(0)
  })

  test('that begins at now has what comes after, not what was read before', async () => {
    addEvents(logged, 'ada', 1)
    const followed = await follow(undefined, { start: 'now' })
    addEvents(logged, 'ada', 1)
    expect(await untilCaughtUp(followed)).toEqual([6])
    followed.end()
  })
})

describe('the tail', () => {
  test('is read once, however many follow', async () => {
    const followTail = followFactsUseCase(readModel)
    const all = await Promise.all(
      Array.from({ length: 50 }, async () => (await followTail({ start: 'now' }, want)).value),
    )
    for (const one of all) await untilCaughtUp(one)
    const before = readModel.asked.length
    addEvents(logged, 'ada', 1)
    for (const one of all) expect(await next(one)).toEqual([3])
    expect(readModel.asked.length - before).toBe(1)
    for (const one of all) one.end()
    expect(readModel.watchers).toBe(0)
  })

  test('gives all who follow the same facts', async () => {
    const followTail = followFactsUseCase(readModel)
    const [left, right] = [
      (await followTail({ start: 'now' }, want)).value,
      (await followTail({ start: 'now' }, want)).value,
    ]
    await untilCaughtUp(left)
    await untilCaughtUp(right)
    addEvents(logged, 'ada', 1)
    const fact = (await left.next())?.facts[0]
    expect(fact).toBeDefined()
    expect((await right.next())?.facts[0]).toBe(fact)
    left.end()
    right.end()
  })

  test.each([
    ['by their number', { facts: 3, bytes: 1_000_000 }],
    ['by their bytes', { facts: 1_000, bytes: 1_000 }],
    ['by the bytes of one', { facts: 1_000, bytes: 10 }],
  ])('is bounded %s: who is behind it reads for itself', async (_what, limits) => {
    const followTail = followFactsUseCase(readModel, limits)
    const slow = (await followTail({ start: 'now' }, want)).value
    const quick = (await followTail({ start: 'now' }, want)).value
    await untilCaughtUp(slow)
    await untilCaughtUp(quick)
    const seen: number[] = []
    for (let at = 0; at < 30; at += 1) {
      addEvents(logged, 'ada', 1)
      seen.push(...(await next(quick)))
    }
    expect(seen).toEqual(ofLog())
    const before = readModel.asked.length
    addEntity(logged, 'last')
    const bySlow: number[] = []
    while (bySlow.at(-1) !== logged.newest) bySlow.push(...(await next(slow)))
    expect(bySlow).toEqual(ofLog())
    expect(readModel.asked.length).toBeGreaterThan(before + 1)
    slow.end()
    quick.end()
  })
})

type Step = 'add' | 'addMany' | 'hold' | 'catchUp' | 'next' | 'wake' | 'settle'
const steps = fc.array(
  fc.tuple(
    fc.constantFrom<Step>('add', 'addMany', 'hold', 'catchUp', 'next', 'wake', 'settle'),
    fc.nat(2),
  ),
  { maxLength: 40 },
)

/** A follower whose next step may be waited for while other things happen. */
class Reader {
  readonly seen: number[] = []
  private isWaiting = false

  constructor(readonly followed: FollowedFacts) {}

  next(): void {
    if (this.isWaiting) return
    this.isWaiting = true
    void this.followed.next().then((step) => {
      this.isWaiting = false
      this.seen.push(...(step?.facts.map(({ position }) => position) ?? []))
    })
  }
}

const play: Readonly<Record<Step, (which: number, readers: readonly Reader[]) => unknown>> = {
  add: (which) => {
    addEntity(logged, `entity ${String(which)}`)
  },
  addMany: (which) => {
    addEvents(logged, which === 0 ? 'ada' : 'eve', which * 300 + 1)
  },
  hold: () => {
    readModel.hold()
  },
  catchUp: () => {
    readModel.catchUp()
  },
  next: (which, readers) => {
    readers[which]?.next()
  },
  wake: (which, readers) => {
    readers[which]?.followed.wake()
  },
  settle,
}

/** The positions of the facts that pass. */
function passing({ types, stream }: FeedFilter): readonly number[] {
  return logged.facts
    .filter((fact) => types?.includes(fact.type) !== false)
    .filter((fact) => stream === undefined || stream === fact.stream)
    .map(({ position }) => position)
}

test('whatever comes when, each sees all that passes its filter, in order and once', async () => {
  await fc.assert(
    fc.asyncProperty(steps, fc.integer({ min: 1, max: 8 }), async (script, facts) => {
      logged = new LoggedStore(new MemoryEventStore())
      readModel = new MemoryReadModel(logged)
      const followTail = followFactsUseCase(readModel, { facts, bytes: 1_000_000 })
      const filters: FeedFilter[] = [{}, { types: ['EntityCreated'] }, { stream: 'entity-ada' }]
      const readers: Reader[] = []
      for (const filter of filters) {
        readers.push(new Reader((await followTail({ start: 'start', ...filter }, want)).value))
      }
      for (const [step, which] of script) {
        await play[step](which, readers)
      }
      readModel.catchUp()
      addEntity(logged, 'the last')
      for (const [at, reader] of readers.entries()) {
        const expected = passing(filters[at] ?? {})
        for (let turns = 0; reader.seen.length < expected.length && turns < 1_000; turns += 1) {
          reader.next()
          await settle()
        }
        expect(reader.seen).toEqual(expected)
        reader.followed.end()
      }
      expect(readModel.watchers).toBe(0)
    }),
    { numRuns: byForm({ short: 20, long: 500 }) },
  )
})
