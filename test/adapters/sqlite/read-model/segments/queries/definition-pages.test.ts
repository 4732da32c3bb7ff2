import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { DrivenProjections } from '../../../../../support/segments/driven-projections.js'
import type { Rule } from '../../../../../support/segments/rule-grammar.js'
import { SmallLog } from '../../../../../support/segments/small-log.js'

const at = '2026-11-20T09:30:00.000Z'
const everyone = { everyone: true } as const
/** A rule whose JSON has about 250 KB. */
const large = (n: number): Rule => ({
  any: Array.from({ length: 16 }, (_, i) => ({
    property: '/p',
    is: {
      in: Array.from({ length: 64 }, (_, j) => [n, i, j].join('-').padEnd(250, 'x')),
    },
  })),
})

const projections = new DrivenProjections()
beforeAll(() => {
  const small = new SmallLog()
  for (const key of ['c', 'a', 'b']) small.defined(at, key, everyone)
  for (let n = 0; n < 20; n += 1) small.defined(at, 'many', large(n))
  projections.addAll(small.log)
})
afterAll(() => {
  projections.close()
})

describe('segments in pages', () => {
  it('are sorted by key, and each page continues after the last key', async () => {
    const first = await projections.query('segmentList', { limit: 3 })
    expect([first.items.map(({ key }) => key), first.next]).toEqual([['a', 'b', 'c'], 'c'])
    const second = await projections.query('segmentList', { after: first.next, limit: 3 })
    expect([second.items.map(({ key }) => key), second.next]).toEqual([['many'], undefined])
  })
})

describe('versions in pages', () => {
  it('are newest first, and a page of large rules ends at 4 MiB', async () => {
    const versions: (number | undefined)[] = []
    const sizes: number[] = []
    let after: number | undefined
    do {
      const page = await projections.query('segmentVersions', { key: 'many', after, limit: 100 })
      versions.push(...(page?.items ?? []).map(({ version }) => version))
      sizes.push(JSON.stringify(page).length)
      after = page?.next
    } while (after !== undefined)
    expect(versions).toEqual(Array.from({ length: 20 }, (_, index) => 20 - index))
    expect(sizes.length).toBeGreaterThan(1)
    expect(Math.max(...sizes)).toBeLessThan(4_194_304 + 300_000)
  })

  it('of an unknown segment are not there', async () => {
    expect(await projections.query('segmentVersions', { key: 'gone', limit: 1 })).toBeUndefined()
  })
})
