import { beforeEach, describe, expect, it } from '@jest/globals'
import type {
  SearchHit,
  SearchPart,
  SearchQuery,
} from '../../../../src/application/reading/ports/read-model.js'
import {
  drivenProjections,
  type DrivenProjections,
} from '../../../support/segments/driven-projections.js'
import { SmallLog } from '../../../support/segments/small-log.js'

const opened = drivenProjections()
const at = (minute: number) => new Date(Date.UTC(2026, 10, 20, 9, minute)).toISOString()
/** The id of the fact at a position of a `SmallLog`. */
const idAt = (position: number) => `01a1ff14-0000-7000-8000-${String(position).padStart(12, '0')}`

let driven: DrivenProjections

beforeEach(() => {
  driven = opened()
  const log = new SmallLog()
    .created(at(0), { plan: 'paid', country: 'NL', age: 7, ok: true })
    .created(at(1), { plan: '7', country: 'DE', age: '7', nested: { list: ['x'] } }, 'bob')
    .created(at(2), { plan: 7, country: 'NL', note: 'a "quote" and \\' }, 'cy')
    .event('buy', at(3), at(3), { invoice: 5 })
    .event('buy', at(4), at(1), { invoice: '5' })
    .event('buy', at(5), at(5), { invoice: 6 }, 'bob')
    .event('sell', at(6), at(6), { invoice: 5 }, 'bob')
  driven.addAll(log.log)
})

const whole = { limit: 100, bytes: 4_194_304 }

/** Searches part by part, until the limits are reached or no entity is left. A slow machine needs many parts. */
async function search(query: Partial<SearchQuery>): Promise<SearchPart> {
  const { limit = whole.limit, after } = query
  const items: SearchHit[] = []
  for (let next = after; ;) {
    const asked = { pointer: '/country', text: 'NL', ...whole, ...query, after: next }
    const part = await driven.query('searchEntities', asked)
    items.push(...part.items)
    const isFull = items.length >= limit || ('bytes' in query && items.length > 0)
    const isIndexRead = part.isIndexed && next === undefined
    if (isFull || part.next === undefined || isIndexRead) return { ...part, items }
    next = part.next
  }
}

const idsOf = ({ items }: SearchPart) => items.map(({ externalId }) => externalId)

describe('a search of profiles', () => {
  it.each([
    ['/country', 'NL', ['cy', 'ada']],
    ['/country', 'N', []],
    ['/age', '7', ['bob', 'ada']],
    ['/age', '7.0', []],
    ['/ok', 'true', ['ada']],
    ['/nested/list/0', 'x', ['bob']],
    ['/nested', '{"list":["x"]}', []],
    ['/note', 'a "quote" and \\', ['cy']],
    ['/none', 'undefined', []],
  ])('finds %s %s, the newest entity first', async (pointer, text, expected) => {
    const part = await search({ pointer, text })
    expect(idsOf(part)).toEqual(expected)
    expect(part).toMatchObject({ isIndexed: false, entities: 3, done: 3 })
    expect(part.next).toBeUndefined()
  })

  it('contains the values at the wanted pointers', async () => {
    const { items } = await search({ properties: ['/age', '/none'] })
    expect(items.map(({ properties }) => properties.value)).toEqual([{}, { '/age': 7 }])
  })

  it.each([[{ limit: 1 }], [{ bytes: 1 }]])(
    'continues after a part that ended at %o',
    async (limits) => {
      const first = await search(limits)
      expect([idsOf(first), first.next?.done]).toEqual([['cy'], 1])
      const second = await search({ ...limits, after: first.next })
      expect([idsOf(second), second.next?.done]).toEqual([['ada'], 3])
    },
  )
})

describe('a search of an indexed property', () => {
  it('reads only the index', async () => {
    const part = await search({ pointer: '/plan', text: 'paid' })
    expect(idsOf(part)).toEqual(['ada'])
    expect(part).toMatchObject({ isIndexed: true, done: 0, next: undefined })
  })

  it('finds texts in the index, and then numbers in all profiles', async () => {
    const first = await search({ pointer: '/plan', text: '7' })
    expect([idsOf(first), first.done]).toEqual([['bob'], 0])
    const second = await search({ pointer: '/plan', text: '7', after: first.next })
    expect([idsOf(second), second.done, second.next]).toEqual([['cy'], 3, undefined])
  })
})

describe('a search of events', () => {
  it('finds each entity once, with the newest event that matches', async () => {
    const part = await search({ event: 'buy', pointer: '/invoice', text: '5' })
    expect(part.items).toMatchObject([{ externalId: 'ada', occurredAt: at(1) }])
    expect(part.items[0]?.eventId).toBe(driven.log[4]?.id)
    expect(part).toMatchObject({ isIndexed: false, done: 3 })
  })

  it('finds a voided event only where it is included, and only if no other event matches', async () => {
    const log = new SmallLog()
      .created(at(0))
      .event('buy', at(1), at(1), { invoice: 5 })
      .event('buy', at(2), at(2), { invoice: 5 })
      .event('buy', at(3), at(3), { invoice: 6 })
      .voided(at(4), idAt(3))
      .voided(at(5), idAt(4))
    driven = opened()
    driven.addAll(log.log)
    const invoice = { event: 'buy', pointer: '/invoice', withVoided: true }
    expect((await search({ ...invoice, text: '5' })).items).toMatchObject([
      { occurredAt: at(1), voidedAt: undefined },
    ])
    expect((await search({ ...invoice, text: '6' })).items).toMatchObject([
      { occurredAt: at(3), voidedAt: at(5) },
    ])
    expect(idsOf(await search({ ...invoice, text: '6', withVoided: false }))).toEqual([])
  })

  it('skips an entity that is erased while its events are searched', async () => {
    const log = new SmallLog().created(at(0))
    for (let index = 0; index < 1_000; index += 1)
      log.event('buy', at(1), at(1), { invoice: index })
    driven = opened(undefined, undefined, 0)
    driven.addAll(log.log)
    const searching = search({ event: 'buy', pointer: '/invoice', text: '0' })
    driven.erase(driven.entityIdOf('ada') ?? '', at(9))
    await driven.work(Infinity)
    expect(await searching).toMatchObject({ items: [], next: undefined })
  })

  it('does not find events with another name, and no erased entity', async () => {
    expect(idsOf(await search({ event: 'sell', pointer: '/invoice', text: '5' }))).toEqual(['bob'])
    driven.erase(driven.entityIdOf('bob') ?? '', at(9))
    expect(idsOf(await search({ event: 'sell', pointer: '/invoice', text: '5' }))).toEqual([])
  })
})
