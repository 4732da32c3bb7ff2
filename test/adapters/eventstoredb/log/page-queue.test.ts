import { describe, expect, test } from '@jest/globals'
import { PageQueue } from '../../../../src/adapters/eventstoredb/log/page-queue.js'
import type { LoggedFact } from '../../../../src/application/facts/ports/fact-log.js'

const roomy = { facts: 1_000, characters: 1_000_000 }
const roomyLimits = { full: roomy, page: roomy }

/** Returns a fact with this many characters of text. */
function fact(position: number, characters = 10): LoggedFact {
  const metadata = '{}'
  const data = 'x'.repeat(characters - metadata.length)
  return {
    id: String(position),
    type: 'EventRecorded',
    data,
    metadata,
    stream: 'entity-a',
    position,
  }
}

function placesOf({ facts }: { readonly facts: readonly LoggedFact[] }): readonly number[] {
  return facts.map(({ position }) => position)
}

describe('a page', () => {
  test('contains everything in the queue, and the reached position', async () => {
    const queue = new PageQueue(5, roomyLimits)
    for (const place of [7, 9]) queue.push(fact(place))
    queue.rise(12)
    const page = await queue.next()
    expect([placesOf(page), page.reached]).toEqual([[7, 9], 12])
  })

  test('contains everything that arrives in one tick, also for a waiting reader', async () => {
    const queue = new PageQueue(0, roomyLimits)
    const page = queue.next()
    queue.push(fact(1))
    await Promise.resolve()
    queue.push(fact(2))
    expect(placesOf(await page)).toEqual([1, 2])
  })

  test('without facts is delivered once when only the position has risen', async () => {
    const queue = new PageQueue(5, roomyLimits)
    queue.rise(4)
    queue.rise(5)
    const page = queue.next()
    queue.rise(6)
    expect(await page).toEqual({ facts: [], reached: 6 })
    const next = queue.next()
    queue.rise(6)
    queue.push(fact(8))
    expect(await next).toEqual({ facts: [fact(8)], reached: 8 })
  })

  test('that does not empty the queue ends at its own last fact', async () => {
    const queue = new PageQueue(0, { full: roomy, page: { ...roomy, facts: 2 } })
    for (const place of [1, 2, 3]) queue.push(fact(place))
    queue.rise(9)
    expect(await queue.next()).toMatchObject({ facts: [fact(1), fact(2)], reached: 2 })
    expect(await queue.next()).toEqual({ facts: [fact(3)], reached: 9 })
  })

  test('ends before it exceeds its size, but has at least one fact', async () => {
    const queue = new PageQueue(0, { full: roomy, page: { ...roomy, characters: 25 } })
    for (const place of [1, 2, 3]) queue.push(fact(place))
    queue.push(fact(4, 100))
    queue.push(fact(5))
    const pages = [await queue.next(), await queue.next(), await queue.next(), await queue.next()]
    expect(pages.map(placesOf)).toEqual([[1, 2], [3], [4], [5]])
  })
})

describe('a full queue', () => {
  test.each([
    ['facts', { ...roomy, facts: 3 }],
    ['text', { ...roomy, characters: 30 }],
  ])('of %s has room again after a page was taken', async (_of, full) => {
    const queue = new PageQueue(0, { full, page: { ...roomy, facts: 1 } })
    const filled: number[] = []
    const filling = (async () => {
      for (let place = 1; place <= 5; place += 1) {
        await queue.room()
        filled.push(place)
        queue.push(fact(place))
      }
    })()
    await queue.next()
    expect(filled).toEqual([1, 2, 3])
    await queue.next()
    expect(filled).toEqual([1, 2, 3, 4])
    await queue.next()
    await filling
    expect(filled).toEqual([1, 2, 3, 4, 5])
  })
})

describe('a failure', () => {
  test('is delivered after all facts that arrived before it, to every reader', async () => {
    const queue = new PageQueue(0, roomyLimits)
    queue.push(fact(1))
    queue.fail(new Error('broken'))
    queue.fail(new Error('broken again'))
    expect(placesOf(await queue.next())).toEqual([1])
    await expect(queue.next()).rejects.toThrow(/^broken$/)
    await expect(queue.next()).rejects.toThrow(/^broken$/)
  })

  test('wakes a waiting reader and a waiting writer', async () => {
    const empty = new PageQueue(0, roomyLimits)
    const page = expect(empty.next()).rejects.toThrow('broken')
    empty.fail(new Error('broken'))
    await page
    const full = new PageQueue(0, { full: { ...roomy, facts: 1 }, page: roomy })
    full.push(fact(1))
    const room = full.room()
    full.fail(new Error('broken'))
    await expect(room).resolves.toBeUndefined()
  })
})
