import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { PositionCache } from '../../../../src/adapters/sqlite/read-model/position-cache.js'
import { quickOrThorough } from '../../../support/thoroughness.js'

const numRuns = quickOrThorough({ quick: 10, thorough: 500 })

describe('a cache of positions', () => {
  it.each([1, 7, 300, 65_536, 1_000_003])(
    'contains the positions that were added and not deleted, with a distance of %i',
    (apart) => {
      const position = fc.nat(2_000).map((n) => n * apart)
      const step = fc.tuple(fc.constantFrom('add', 'add', 'add', 'delete'), position)
      fc.assert(
        fc.property(fc.array(step, { maxLength: 1_500, size: 'max' }), (steps) => {
          const cache = new PositionCache()
          const expected = new Set<number>()
          for (const [what, at] of steps) {
            if (what === 'add') {
              cache.add(at)
              expected.add(at)
            } else {
              cache.delete(at)
              expected.delete(at)
            }
          }
          const all = Array.from({ length: 2_001 }, (_, n) => n * apart)
          const isRight = (at: number) => cache.has(at) === expected.has(at)
          expect(all.every(isRight)).toBe(true)
        }),
        { numRuns },
      )
    },
  )

  it('uses no bitmaps for positions that are far apart, such as byte offsets', () => {
    const before = process.memoryUsage().arrayBuffers
    const cache = new PositionCache()
    const count = 20_000
    for (let n = 0; n < count; n += 1) cache.add(n * 65_536 + 17)
    const bytes = process.memoryUsage().arrayBuffers - before
    expect(bytes / count).toBeLessThan(100)
    expect(cache.has(17)).toBe(true)
    expect(cache.has(18)).toBe(false)
  })

  it('evicts the oldest positions when there are very many', () => {
    const most = 1_024
    const cache = new PositionCache(most)
    for (let n = 0; n <= most; n += 1) cache.add(n * 65_536)
    expect(cache.has(0)).toBe(false)
    expect(cache.has(65_536)).toBe(true)
    expect(cache.has(most * 65_536)).toBe(true)
  })
})
