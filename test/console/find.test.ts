import { describe, expect, it } from '@jest/globals'
import { Calls } from '../../src/client/calls.js'
import { lookUp } from '../../src/console/find/look-up.js'
import { shownSum } from '../../src/console/parts/numbers.js'
import { waitAfter } from '../../src/console/parts/times.js'

/** Answers nothing before it was asked as often as it should be. */
function answering(times: number): typeof fetch {
  let asked = 0
  let answerAll: () => void
  const allAsked = new Promise<void>((resolve) => {
    answerAll = resolve
  })
  return async () => {
    asked += 1
    if (asked === times) answerAll()
    await allAsked
    return Response.json({ status: 'success', data: { items: [], next_cursor: null } })
  }
}

describe('the search box', () => {
  it('sends queries for all meanings of a text at once', async () => {
    const client = new Calls({ url: 'http://127.0.0.1', key: 'k', fetch: answering(2) })
    const found = await lookUp(client, 'ada@example.org')
    expect(found.map(({ tried }) => tried)).toEqual([
      'Called exactly “ada@example.org”',
      'Called something that begins so (the first 20)',
      'With this mail address',
    ])
  })
})

describe('a repeated query of a view', () => {
  it('runs less often when the response is large', () => {
    expect(waitAfter({ items: [] }, 2_000)).toBe(2_000)
    expect(waitAfter(undefined, 2_000)).toBe(2_000)
    expect(waitAfter({ huge: 'x'.repeat(1_048_576) }, 2_000)).toBeGreaterThan(20_000)
  })
})

describe('a sum of doubles', () => {
  it.each([
    [0.1 + 0.2, '0.30'],
    [2.999999999999, '3.00'],
    [12_345, '12\u202f345'],
    [-1_234.5, '-1\u202f234.50'],
    [-0.5, '-0.50'],
    [1e21, '1\u202f000\u202f000\u202f000\u202f000\u202f000\u202f000\u202f000'],
  ])('of %d is shown as %s', (sum, shown) => {
    expect(shownSum(sum)).toBe(shown)
  })
})
