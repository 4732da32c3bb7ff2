import { beforeEach, describe, expect, it } from '@jest/globals'
import { Cancellation } from '../../../src/application/ports/cancellation.js'
import { RefusalAt } from '../../../src/application/ports/refusal.js'
import type {
  AnswerOf,
  QueryName,
  QueryOf,
  SearchPart,
  SearchQuery,
  Want,
} from '../../../src/application/reading/ports/read-model.js'
import {
  EntitySearcher,
  type EntitySearch,
  type SearchStep,
} from '../../../src/application/reading/search-entities.js'
import type { SearchOutcome } from '../../../src/application/reading/ports/search-observer.js'
import { JsonText } from '../../../src/domain/json.js'

const request = { pointer: '/country', text: 'NL' }
const mebibyte = 'x'.repeat(1_048_576)

/** Answers the latest part when the test says so. */
class HeldParts {
  readonly asked: SearchQuery[] = []
  readonly wants: Want[] = []
  /** The read model of this thread rejects a cancelled query as overloaded, that of another thread as unanswered. */
  codeOfCancelled: 'overloaded' | 'read_model_behind' = 'overloaded'
  private readonly waiting: ((part: Partial<SearchPart>) => void)[] = []

  query<N extends QueryName>(_name: N, query: QueryOf<N>, want: Want): Promise<AnswerOf<N>> {
    this.asked.push(query as SearchQuery)
    this.wants.push(want)
    return new Promise((resolve, reject) => {
      want.cancellation?.listen(() => {
        reject(new RefusalAt(this.codeOfCancelled, 1))
      })
      this.waiting.push((part) => {
        const next = { entity: 1, done: part.done ?? 0 }
        const value = { isIndexed: false, entities: 9, done: 0, next, items: [], ...part }
        resolve({ value, position: 5, logTime: 7 })
      })
    })
  }

  async answer(part: Partial<SearchPart>): Promise<void> {
    this.waiting.pop()?.(part)
    await new Promise(setImmediate)
  }
}

const hit = (externalId: string, text = '') => ({
  externalId,
  entityId: externalId,
  properties: JsonText.of({ text }),
  createdAt: '',
  recordedAt: '',
  updatedAt: '',
  eventId: undefined,
  occurredAt: undefined,
  voidedAt: undefined,
})

let parts: HeldParts
let endTime: (() => void) | undefined
let stopped: number
let searcher: EntitySearcher
let outcomes: SearchOutcome[]

beforeEach(() => {
  parts = new HeldParts()
  stopped = 0
  outcomes = []
  const observer = { ended: (outcome: SearchOutcome) => outcomes.push(outcome) }
  searcher = new EntitySearcher(parts, observer, {
    now: () => 0,
    after: (_milliseconds, work) => {
      endTime = work
      return () => {
        stopped += 1
      }
    },
  })
})

async function begun(caller = 'a', first: Partial<SearchPart> = {}): Promise<EntitySearch> {
  const beginning = searcher.begin(request, { waitMs: 0, caller })
  await parts.answer(first)
  return beginning
}

async function stepsOf(search: EntitySearch): Promise<readonly SearchStep[]> {
  const steps: SearchStep[] = []
  for await (const step of search.steps()) steps.push(step)
  return steps
}

describe('a search', () => {
  it('yields hits and progress, and ends with the last entity', async () => {
    const search = await begun('a', { done: 4, items: [hit('ada')] })
    expect([search.position, search.logTime]).toEqual([5, 7])
    const steps = stepsOf(search)
    await new Promise(setImmediate)
    await parts.answer({ done: 9, items: [hit('bob')], next: undefined })
    const all = await steps
    const found = all.flatMap((step) => (step.kind === 'hits' ? step.items : []))
    expect(found.map(({ externalId }) => externalId)).toEqual(['ada', 'bob'])
    expect(all).toContainEqual({ kind: 'progress', entities: 9, lookedAt: 4, hits: 1 })
    const figures = { entities: 9, lookedAt: 9, hits: 2 }
    expect(all.at(-1)).toEqual({ kind: 'result', ...figures, isIndexed: false, isComplete: true })
    expect(parts.asked[1]).toMatchObject({ after: { done: 4 }, limit: 99 })
    expect(stopped).toBe(1)
    expect(outcomes).toEqual(['complete'])
  })

  it.each([
    ['100,000 entities', { done: 100_000 }],
    ['100 hits', { items: Array.from({ length: 100 }, () => hit('ada')) }],
    ['4 MiB', { items: Array.from({ length: 4 }, () => hit('ada', mebibyte)) }],
  ])('ends after %s and is not complete', async (_limit, first) => {
    const all = await stepsOf(await begun('a', first))
    expect(all.at(-1)).toMatchObject({ kind: 'result', isComplete: false })
    expect(parts.asked).toHaveLength(1)
    expect(outcomes).toEqual(['limit'])
  })

  it.each(['overloaded', 'read_model_behind'] as const)(
    'ends after its time and is not complete, also when its last part is %s',
    async (code) => {
      parts.codeOfCancelled = code
      const search = await begun()
      endTime?.()
      expect((await stepsOf(search)).at(-1)).toMatchObject({ kind: 'result', isComplete: false })
      expect(outcomes).toEqual(['timeout'])
    },
  )

  it('fails with the error of a part', async () => {
    const search = await begun()
    parts.wants[1]?.cancellation?.cancel()
    await expect(stepsOf(search)).rejects.toMatchObject({ code: 'overloaded' })
    expect(outcomes).toEqual(['failed'])
  })

  it('goes on when nobody reads its steps', async () => {
    await begun()
    await parts.answer({ next: undefined })
    await expect(begun()).resolves.toBeDefined()
  })
})

describe('searches at once', () => {
  it('a caller has one, and a process has two', async () => {
    const first = await begun('a')
    const refused = { code: 'search_under_way' }
    await expect(searcher.begin(request, { waitMs: 0, caller: 'a' })).rejects.toMatchObject(refused)
    await begun('b')
    await expect(searcher.begin(request, { waitMs: 0, caller: 'c' })).rejects.toMatchObject(refused)
    first.cancel()
    await new Promise(setImmediate)
    const third = searcher.begin(request, { waitMs: 0, caller: 'c' })
    await expect(searcher.begin(request, { waitMs: 0, caller: 'd' })).rejects.toMatchObject(refused)
    parts.wants.at(-1)?.cancellation?.cancel()
    third.catch(() => undefined)
  })

  it('a search that cannot begin makes room for another one', async () => {
    const cancellation = new Cancellation()
    const beginning = searcher.begin(request, { waitMs: 0, caller: 'a', cancellation })
    cancellation.cancel()
    await expect(beginning).rejects.toMatchObject({ code: 'overloaded' })
    await parts.answer({})
    await expect(begun('a')).resolves.toBeDefined()
  })

  it('a cancelled search ends its part and yields nothing more', async () => {
    const search = await begun()
    search.cancel()
    expect(parts.wants[1]?.cancellation?.isCancelled).toBe(true)
    await expect(stepsOf(search)).rejects.toMatchObject({ code: 'overloaded' })
    expect(outcomes).toEqual(['cancelled'])
  })
})
