import { beforeEach, describe, expect, jest, test } from '@jest/globals'
import fc from 'fast-check'
import { RefusalAt } from '../../../src/application/ports/refusal.js'
import {
  followFactsUseCase,
  type FollowFactsUseCase,
  type FollowQuery,
} from '../../../src/application/reading/read-facts.js'
import type { FeedFilter } from '../../../src/application/reading/feed-start.js'
import type { FollowedFacts } from '../../../src/application/reading/follower.js'
import type { ReadModel } from '../../../src/application/reading/ports/read-model.js'
import { MemoryEventStore } from '../../../src/adapters/memory/memory-event-store.js'
import { addEntity, addEvents } from '../../support/feed-facts.js'
import { quickOrThorough } from '../../support/thoroughness.js'
import { LoggedStore } from '../../support/logged-store.js'
import { ReadModelInStep } from '../../support/read-model-in-step.js'

let logged: LoggedStore
let readModel: ReadModelInStep
beforeEach(() => {
  logged = new LoggedStore(new MemoryEventStore())
  readModel = new ReadModelInStep(logged)
})

const want = { waitMs: 0 }

async function follow(query: FollowQuery = { start: 'start' }): Promise<FollowedFacts> {
  return (await followFactsUseCase(readModel)(query, want)).value
}

/** Returns the positions of all facts up to the step with `isCaughtUp`. */
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

/** Lets all work run that can run now. */
const settle = () => new Promise(setImmediate)

describe('a follower', () => {
  test('reports once that it has caught up', async () => {
    addEvents(logged, 'ada', 2)
    const followed = await follow()
    expect(await untilCaughtUp(followed)).toEqual([3, 6])
    addEvents(logged, 'ada', 1)
    expect(await followed.next()).toMatchObject({ facts: [{ position: 9 }], isCaughtUp: false })
    followed.end()
  })

  test('waits while there is nothing new, and can be woken', async () => {
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

  test('resolves the pending call when it ends, and removes its watcher', async () => {
    const followed = await follow()
    await untilCaughtUp(followed)
    const waiting = followed.next()
    followed.end()
    expect(await waiting).toBeUndefined()
    expect(await followed.next()).toBeUndefined()
    expect(readModel.watchers).toBe(0)
  })

  test('reads and watches nothing before the first call', async () => {
    const followed = await follow()
    expect(readModel.watchers).toBe(0)
    followed.end()
    expect(await followed.next()).toBeUndefined()
    expect(readModel.watchers).toBe(0)
  })

  test('ends when the read model is rebuilt while it waits or reads', async () => {
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

  test('ends when the read model was rebuilt after its start was determined', async () => {
    addEvents(logged, 'ada', 2)
    const followed = await follow()
    readModel.beginBuilding()
    readModel.endBuilding()
    expect(await followed.next()).toBeUndefined()
    expect(readModel.watchers).toBe(0)
  })

  test('ends when the read model is rebuilt while a page is being read', async () => {
    addEvents(logged, 'ada', 2)
    const followed = await follow({ start: { position: 1 } })
    const waiting = followed.next()
    readModel.beginBuilding()
    readModel.endBuilding()
    expect(await waiting).toBeUndefined()
  })

  test('continues when the read model answers again', async () => {
    const followed = await follow()
    await untilCaughtUp(followed)
    const isBehind = jest
      .spyOn(readModel, 'query')
      .mockRejectedValue(new RefusalAt('read_model_behind', 0))
    addEvents(logged, 'ada', 1)
    const waiting = next(followed)
    await settle()
    isBehind.mockRestore()
    followed.wake()
    expect(await waiting).toEqual([3])
    followed.end()
  })

  test('rejects with an unexpected error', async () => {
    const followed = await follow()
    await untilCaughtUp(followed)
    readModel.query = () => Promise.reject(new TypeError('x'))
    addEvents(logged, 'ada', 1)
    await expect(followed.next()).rejects.toThrow(TypeError)
    expect(readModel.watchers).toBe(0)
  })

  test('from `now` gets only new facts and reads no earlier page', async () => {
    addEvents(logged, 'ada', 1)
    const followed = await follow({ start: 'now' })
    addEvents(logged, 'ada', 1)
    expect(await untilCaughtUp(followed)).toEqual([6])
    followed.end()
  })
})

describe('followers of the newest facts', () => {
  const start = (use: FollowFactsUseCase, query: FollowQuery = { start: 'now' }, caller = 'key') =>
    use(query, { ...want, caller }).then(({ value }) => value)

  /** Returns the callers of the queries for facts since the spy was created. */
  function callersOf(ask: jest.SpiedFunction<ReadModel['query']>): readonly (string | undefined)[] {
    return ask.mock.calls.flatMap(([name, , { caller }]) => (name === 'facts' ? [caller] : []))
  }

  test('share one query for each new fact, whatever their filters and callers are', async () => {
    const use = followFactsUseCase(readModel)
    addEntity(logged, 'ada')
    const filters: FeedFilter[] = [{}, { types: ['EventRecorded'] }, { stream: 'entity-ada' }]
    const all = await Promise.all(
      Array.from({ length: 60 }, (_, at) =>
        start(use, { start: 'now', ...filters[at % 3] }, `key ${String(at)}`),
      ),
    )
    for (const one of all) await untilCaughtUp(one)
    const ask = jest.spyOn(readModel, 'query')
    for (const position of [6, 9]) {
      const steps = all.map(next)
      addEvents(logged, 'ada', 1)
      for (const step of steps) expect(await step).toEqual([position])
    }
    expect(callersOf(ask)).toEqual(['the feed', 'the feed'])
    for (const one of all) one.end()
    expect(readModel.watchers).toBe(0)
  })

  test('share the facts in memory', async () => {
    const use = followFactsUseCase(readModel)
    const [left, right] = [await start(use), await start(use)]
    await untilCaughtUp(left)
    await untilCaughtUp(right)
    const steps = [left.next(), right.next()]
    addEvents(logged, 'ada', 1)
    const [fact, same] = (await Promise.all(steps)).map((step) => step?.facts[0])
    expect(fact).toBeDefined()
    expect(same).toBe(fact)
    left.end()
    right.end()
  })

  test('do not share a query that began before a fact that they need', async () => {
    const use = followFactsUseCase(readModel)
    const [left, right] = [await start(use), await start(use)]
    await untilCaughtUp(left)
    await untilCaughtUp(right)
    const first = next(left)
    addEvents(logged, 'ada', 1)
    await Promise.resolve()
    addEvents(logged, 'ada', 1)
    const second = next(right)
    const seen = [...(await first)]
    if (seen.length < 2) seen.push(...(await next(left)))
    expect(seen).toEqual([3, 6])
    expect(await second).toEqual([3, 6])
    left.end()
    right.end()
  })

  test('read their own pages, which count for their own caller, when they lag', async () => {
    const followed = await start(followFactsUseCase(readModel))
    await untilCaughtUp(followed)
    readModel.hold()
    addEvents(logged, 'ada', 1_100)
    readModel.catchUp()
    const ask = jest.spyOn(readModel, 'query')
    const seen: number[] = []
    while (seen.at(-1) !== logged.newest) seen.push(...(await next(followed)))
    expect(seen).toEqual(ofLog())
    expect(callersOf(ask)).toEqual([...Array<string>(4).fill('the feed'), 'key'])
    addEvents(logged, 'ada', 1)
    expect(await next(followed)).toEqual([logged.newest])
    expect(callersOf(ask).at(-1)).toBe('the feed')
    followed.end()
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

/** A follower whose next step can be awaited while other things happen. */
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
  add: () => {
    // A second creation in one stream would erase the first entity, so each entity has its own stream.
    addEntity(logged, `entity ${String(logged.facts.length)}`)
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

/** Returns the positions of the facts that match the filter. */
function passing({ types, stream }: FeedFilter): readonly number[] {
  return logged.facts
    .filter((fact) => types?.includes(fact.type) !== false)
    .filter((fact) => stream === undefined || stream === fact.stream)
    .map(({ position }) => position)
}

test('in any interleaving, each follower gets every fact that matches its filter once and in order', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (script) => {
      logged = new LoggedStore(new MemoryEventStore())
      readModel = new ReadModelInStep(logged)
      const followTail = followFactsUseCase(readModel)
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
        for (let ticks = 0; reader.seen.length < expected.length && ticks < 1_000; ticks += 1) {
          reader.next()
          await settle()
        }
        expect(reader.seen).toEqual(expected)
        reader.followed.end()
      }
      expect(readModel.watchers).toBe(0)
    }),
    { numRuns: quickOrThorough({ quick: 20, thorough: 500 }) },
  )
})
