import { expect, it } from '@jest/globals'
import { ErasedChanges } from '../../../../../../src/adapters/sqlite/read-model/segments/publishing/erased-changes.js'
import type { PublishedChange } from '../../../../../../src/adapters/sqlite/read-model/segments/publishing/published-change.js'

const change = (entityId: string, at = 5): PublishedChange => ({
  enters: false,
  entityId,
  at,
  cause: { kind: 'time' },
})

/** A log of what is published, and how much of it was read. */
function published() {
  const log: PublishedChange[] = []
  const erasedIds = new Set<string>()
  const seen = { read: 0 }
  const publishedAfter = (_segment: string, at: number, after: number) => {
    const found = log
      .map((one, index) => ({ position: index + 1, change: one }))
      .filter((one) => one.position > after && one.change.at === at)
    seen.read += found.length
    return found
  }
  const erased = {
    has: (entityId: string) => erasedIds.has(entityId),
    get count() {
      return erasedIds.size
    },
  }
  return { log, erasedIds, seen, of: new ErasedChanges({ publishedAfter }, erased) }
}

it('the changes published at one instant are read once for many lookups', () => {
  const { log, erasedIds, seen, of } = published()
  for (let n = 0; n < 1_000; n += 1) log.push(change(`e${String(n)}`))
  for (let n = 0; n < 100; n += 1) erasedIds.add(`e${String(n)}`)
  for (let n = 0; n < 100; n += 1) {
    expect(of.has('s1', change(`e${String(n)}`))).toBe(true)
    expect(of.has('s1', change(`e${String(n)}`, n + 10))).toBe(false)
  }
  expect(seen.read).toBe(1_000)
})

it('finds changes published later at the same instant, and changes of entities erased later', () => {
  const { log, erasedIds, of } = published()
  erasedIds.add('ada')
  expect(of.has('s1', change('ada'))).toBe(false)
  log.push(change('ada'), change('bob'))
  expect(of.has('s1', change('ada'))).toBe(true)
  erasedIds.add('bob')
  expect(of.has('s1', change('bob'))).toBe(true)
  expect(of.has('s1', { ...change('bob'), enters: true })).toBe(false)
})
