import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals'
import { SqliteProjections } from '../../../../src/adapters/sqlite/read-model/sqlite-projections.js'
import { Cancellation } from '../../../../src/application/ports/cancellation.js'
import { toStored } from '../../../../src/application/facts/fact-format.js'
import type { LoggedFact } from '../../../../src/application/facts/ports/fact-log.js'
import type { Fact } from '../../../../src/application/facts/fact-table.js'

const mebibyte = 1_048_576
const at = '2026-11-20T09:30:00.000Z'

const opened: SqliteProjections[] = []
afterEach(() => {
  for (const projections of opened.splice(0)) projections.close()
})

function logged(position: number, externalId: string, fact: Omit<Fact, 'id'>): LoggedFact {
  const id = `00000000-0000-4000-8000-${String(position).padStart(12, '0')}`
  const context = { requestId: `r-${String(position)}`, keyHash: undefined }
  const stored = toStored({ ...fact, id } as Fact, context)
  return { ...stored, position, stream: `entity-${externalId}` }
}

/** Returns projections with one entity, whose creation, changes and events have about `bytes` bytes each. */
function projections(events: number, bytes: number): SqliteProjections {
  const text = 'x'.repeat(bytes)
  const facts: LoggedFact[] = []
  const add = (externalId: string, fact: Omit<Fact, 'id'>) =>
    facts.push(logged(facts.length + 1, externalId, fact))
  for (let n = 0; n < events; n += 1) {
    add(`big-${String(n)}`, {
      type: 'EntityCreated',
      data: { externalId: `big-${String(n)}`, properties: { text, kind: 'big' }, createdAt: at },
    })
  }
  for (let n = 0; n < events; n += 1) {
    add('big-0', {
      type: 'EventRecorded',
      data: { entityExternalId: 'big-0', name: 'buy', properties: { n, text }, recordedAt: at },
    })
    add('big-0', {
      type: 'EntityPropertiesChanged',
      data: { externalId: 'big-0', set: { text, n }, unset: [], changedAt: at },
    })
  }
  const made = SqliteProjections.open({
    path: 'memory:',
    factsFile: undefined,
    searchProperties: ['/kind'],
    onDropped: () => undefined,
    onDiverged: () => undefined,
    sliceMs: 0,
  })
  opened.push(made)
  made.apply(facts)
  made.finishBuild()
  return made
}

/** More items than fit in one page. */
const largeItems = 12
/** The model of tests that add no facts. */
let large: SqliteProjections
beforeAll(() => {
  large = projections(largeItems, mebibyte / 2)
  opened.pop()
})
afterAll(() => {
  large.close()
})

const timeline = { externalId: 'big-0', by: 'occurred', order: 'asc', limit: 1_000 } as const

describe('a page of large items', () => {
  it.each([
    ['events', 'timeline', timeline],
    ['events in the order of recording', 'timeline', { ...timeline, by: 'recorded' }],
    ['events with a name', 'timeline', { ...timeline, name: 'buy' }],
    ['changes', 'history', { ...timeline, by: 'recorded', order: 'desc' }],
    ['changes by own time', 'history', timeline],
    ['entities', 'entities', { limit: 1_000 }],
    ['entities by name', 'entitiesByName', { startsWith: 'big-', limit: 1_000 }],
    [
      'entities by a property',
      'entitiesByProperty',
      { pointer: '/kind', text: 'big', limit: 1_000 },
    ],
  ] as const)('of %s ends when its data reaches 4 MiB', async (_what, name, query) => {
    const { value } = await large.answer(name, query)
    expect(value?.items).toHaveLength(8)
    expect(value?.next).toBeDefined()
  })

  it('has at least one item', async () => {
    const { value } = await projections(2, 5 * mebibyte).answer('timeline', timeline)
    expect(value?.items).toHaveLength(1)
  })

  it('continues after the previous page until every item was returned once', async () => {
    const seen: unknown[] = []
    let after: { readonly at: number; readonly position: number } | undefined
    do {
      const { value } = await large.answer('timeline', { ...timeline, after })
      for (const { properties } of value?.items ?? []) seen.push(properties.value['n'])
      after = value?.next
    } while (after !== undefined)
    expect(seen).toEqual(Array.from({ length: largeItems }, (_, n) => n))
  })
})

describe('a page', () => {
  it('is abandoned when its caller no longer waits', async () => {
    const model = projections(40, 100_000)
    const gone = new Cancellation()
    const asked = model.answer('timeline', timeline, gone)
    gone.cancel()
    await expect(asked).rejects.toMatchObject({ code: 'overloaded' })
  })

  it('excludes facts that are applied while it is read', async () => {
    const model = projections(40, 100_000)
    const { position } = model.checkpoint
    const asked = model.answer('timeline', timeline)
    const data = { entityExternalId: 'big-0', name: 'late', properties: {}, recordedAt: at }
    model.apply([logged(position + 1, 'big-0', { type: 'EventRecorded', data })])
    const { value, position: known } = await asked
    expect(known).toBe(position)
    expect(value?.items.map(({ name }) => name)).not.toContain('late')
  })

  it('includes the last applied fact, in every order and of its entity', async () => {
    const model = projections(1, 10)
    const position = model.checkpoint.position + 1
    const data = { entityExternalId: 'big-0', name: 'last', properties: {}, recordedAt: at }
    model.apply([logged(position, 'big-0', { type: 'EventRecorded', data })])
    for (const by of ['occurred', 'recorded'] as const) {
      for (const order of ['asc', 'desc'] as const) {
        const { value } = await model.answer('timeline', { ...timeline, by, order })
        expect(value?.items.map(({ name }) => name)).toContain('last')
      }
    }
    const query = { after: 0, limit: 100, stream: 'entity-big-0' }
    const { value } = await model.answer('facts', query)
    expect(value.facts.at(-1)?.position).toBe(position)
  })

  it('of one event reads at most one further event, whatever the query is', async () => {
    const model = projections(3, mebibyte)
    const asked = { ...timeline, by: 'recorded', name: 'buy', limit: 1 } as const
    const { value } = await model.answer('timeline', asked)
    expect(value?.items).toHaveLength(1)
  })
})
