import { describe, expect, it } from '@jest/globals'
import {
  Refusals,
  type Refusal,
  type RefusalKind,
} from '../../../../src/adapters/http/errors/refusals.js'

const writes: readonly RefusalKind[] = ['write']
const now = () => new Date('2026-11-25T00:00:00Z')

function refusal(key: string, more: Partial<Refusal> = {}): Refusal {
  const place = { request_id: 'r', key, method: 'POST', route: '/events' }
  const message = 'The request breaks the rules.'
  return {
    kind: 'write',
    ...place,
    status: 422,
    code: 'validation_failed',
    message,
    details: [],
    ...more,
  }
}

describe('the list of refusals', () => {
  it('continues after the id of the previous page, oldest first', () => {
    const refusals = new Refusals(now)
    for (const code of ['a', 'b', 'c']) refusals.add(refusal('app', { code }))
    const first = refusals.page(undefined, 2, writes)
    expect(first?.items.map(({ code }) => code)).toEqual(['a', 'b'])
    expect(first?.items[0]).toMatchObject({ key: 'app', at: '2026-11-25T00:00:00.000Z' })
    const second = refusals.page(first?.next_cursor, 2, writes)
    expect(second?.items.map(({ code }) => code)).toEqual(['c'])
    expect(second?.reset).toBe(false)
    const third = refusals.page(second?.next_cursor, 2, writes)
    expect(third).toMatchObject({ items: [], next_cursor: second?.next_cursor, reset: false })
  })

  it('drops the oldest refusal of the key with the most refusals, and reports the gap', () => {
    const refusals = new Refusals(now)
    refusals.add(refusal('quiet'))
    const begin = refusals.page(undefined, 1, writes)?.next_cursor
    for (let at = 0; at < 5_000; at += 1) refusals.add(refusal('flood', { code: String(at) }))
    const { items = [] } = refusals.page(undefined, 5_000, writes) ?? {}
    expect(items).toHaveLength(1_000)
    expect(items.slice(0, 2)).toMatchObject([{ key: 'quiet' }, { key: 'flood', code: '4001' }])
    expect(refusals.page(begin, 10, writes)?.reset).toBe(true)
    expect(refusals.page(items.at(1)?.id, 10, writes)?.reset).toBe(false)
  })

  it('keeps the writes of a key whose reads are refused in a loop, and reports the gap for reads alone', () => {
    const refusals = new Refusals(now)
    refusals.add(refusal('app', { code: 'lost' }))
    const begin = refusals.page(undefined, 1, writes)?.next_cursor
    for (let at = 0; at < 1_001; at += 1) refusals.add(refusal('app', { kind: 'read' }))
    expect(refusals.page(undefined, 5_000, writes)?.items).toMatchObject([{ code: 'lost' }])
    expect(refusals.page(begin, 5_000, writes)?.reset).toBe(false)
    const all = refusals.page(begin, 5_000, ['write', 'read'])
    expect([all?.items.length, all?.reset]).toEqual([999, true])
  })

  it('starts from the beginning when the id comes from another process, and reports this', () => {
    const refusals = new Refusals(now)
    refusals.add(refusal('app'))
    const elsewhere = new Refusals(now).page(undefined, 1, writes)?.next_cursor
    expect(refusals.page(elsewhere, 10, writes)).toMatchObject({
      items: [{ key: 'app' }],
      reset: true,
    })
    const ahead = refusals.page(undefined, 10, writes)?.next_cursor.replace('-1', '-9')
    expect(refusals.page(ahead, 10, writes)).toMatchObject({ items: [{ key: 'app' }], reset: true })
    expect(refusals.page('nothing', 10, writes)).toBeUndefined()
  })

  it('shows a name in a path only if it looks like a field name', () => {
    const refusals = new Refusals(now)
    const paths = [
      '/properties/plan',
      '/items/12/set/ada@example.org',
      '/properties/Ada Lovelace/a',
      '',
    ]
    const code = 'too_long'
    refusals.add(refusal('app', { details: paths.map((path) => ({ path, code })) }))
    const shown = refusals.page(undefined, 1, writes)?.items[0]?.details.map(({ path }) => path)
    expect(shown).toEqual(['/properties/plan', '/items/12/set/…', '/properties/…/a', ''])
  })

  it('shortens long paths and long lists of details', () => {
    const refusals = new Refusals(now)
    const path = `/${Array.from({ length: 500 }, () => 'name').join('/')}`
    const details = Array.from({ length: 512 }, () => ({ path, code: 'too_long' }))
    refusals.add(refusal('app', { details }))
    expect(JSON.stringify(refusals.page(undefined, 1, writes)?.items[0]).length).toBeLessThan(6_000)
  })
})
