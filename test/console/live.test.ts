import { describe, expect, it } from '@jest/globals'
import { Calls } from '../../src/client/calls.js'
import type { FollowedFact, Refusal } from '../../src/client/dossier.js'
import { factLine } from '../../src/console/live/fact-words.js'
import { countedBy, matching, since } from '../../src/console/refusals/refusal-counts.js'
import { RefusalList } from '../../src/console/refusals/refusal-list.js'

const fact = (type: string, stream: string, data: object) =>
  ({ type, stream, data, id: 'f', position: '1', request_id: 'r', cursor: '1' }) as FollowedFact

describe('a fact in one line', () => {
  it('of an event has its name, its person and its values', () => {
    const line = factLine(
      fact('EventRecorded', 'entity-ada', {
        name: 'buy',
        properties: { total: 3 },
        recorded_at: '2026-01-01T00:00:00.000Z',
        occurred_at: '2025-01-01T00:00:00.000Z',
      }),
    )
    expect(line).toMatchObject({
      ...{ person: 'ada', name: 'buy', at: '2026-01-01T00:00:00.000Z' },
      values: [{ name: 'total', text: '3' }],
    })
  })

  it('of a change has what was set and what was removed', () => {
    const data = { set: { plan: 'paid' }, unset: ['trial', 'coupon'] }
    const { words, values } = factLine(fact('EntityPropertiesChanged', 'entity-ada', data))
    expect(words).toBe('properties changed')
    expect(values).toEqual([
      { name: 'plan', text: 'paid' },
      { name: 'removed', text: 'trial, coupon' },
    ])
  })

  it('of a membership has its segment, and the entity id in place of the person', () => {
    const data = { segment: 'buyers', entity_id: 'e-1', at: '2026-01-01T00:00:00.000Z' }
    const line = factLine(fact('EntityEnteredSegment', 'members-buyers', data))
    expect(line).toMatchObject({ segment: 'buyers', entityId: 'e-1', person: undefined })
  })

  it('of a type that the page does not know has the name of the type', () => {
    expect(factLine(fact('Unheard', 's', {})).words).toBe('Unheard')
  })
})

const refusal = (id: string, more: Partial<Refusal> = {}): Refusal => ({
  ...{ id, at: '2026-01-01T00:00:00.000Z', request_id: 'r', key: 'shop' },
  ...{ kind: 'write', method: 'POST' },
  ...{ route: '/events', status: 422, code: 'validation_failed', message: '', details: [] },
  ...more,
})

describe('refusals', () => {
  const items = [
    refusal('3', { code: 'entity_not_found' }),
    refusal('2'),
    refusal('1', { key: 'b' }),
  ]

  it('are counted by code, the most frequent one first', () => {
    expect(countedBy(items, ({ code }) => code)).toEqual([
      { value: 'validation_failed', count: 2 },
      { value: 'entity_not_found', count: 1 },
    ])
  })

  it('are filtered by code, key and route together', () => {
    const all = { code: '', key: '', route: '' }
    expect(matching(items, all)).toHaveLength(3)
    expect(matching(items, { ...all, code: 'validation_failed', key: 'shop' })).toEqual([items[1]])
    expect(matching(items, { ...all, route: 'GET /events' })).toEqual([])
  })

  it('of the last minute are the newer ones', () => {
    const now = Date.parse('2026-01-01T00:01:00.000Z')
    expect(since(items, 60_000, now)).toEqual([])
    expect(since(items, 60_001, now)).toHaveLength(3)
  })

  it('are read from where the last page ended, and anew when another process answers', async () => {
    const pages = [
      { items: [refusal('1'), refusal('2')], next_cursor: 'p-2', reset: false, unauthenticated: 0 },
      { items: [refusal('3')], next_cursor: 'p-3', reset: false, unauthenticated: 0 },
      { items: [refusal('q1')], next_cursor: 'q-1', reset: true, unauthenticated: 7 },
    ]
    const asked: (string | null)[] = []
    const answer: typeof fetch = (input) => {
      const { searchParams } = new URL(input instanceof Request ? input.url : input)
      asked.push(searchParams.get('cursor'))
      return Promise.resolve(Response.json({ status: 'success', data: pages.shift() }))
    }
    const list = new RefusalList(new Calls({ url: 'http://127.0.0.1', key: 'k', fetch: answer }))
    const { signal } = new AbortController()
    const ids = async () => (await list.read(signal)).items.map(({ id }) => id)
    expect(await ids()).toEqual(['2', '1'])
    expect(await ids()).toEqual(['3', '2', '1'])
    expect(await ids()).toEqual(['q1'])
    expect(asked).toEqual([null, 'p-2', 'p-3'])
  })
})
