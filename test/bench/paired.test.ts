import { expect, test } from '@jest/globals'
import { paired } from '../../bench/rows/paired.js'
import type { Subject } from '../../bench/rows/subject.js'

test('the order is swapped in every second pair, and each ratio is of the right sides', async () => {
  const turns: string[] = []
  const subject = (name: string, perSecond: number): Subject => ({
    name,
    slice: () => {
      turns.push(name)
      const none = { cpu: undefined, databaseCpu: undefined, loadCpu: undefined }
      return Promise.resolve({ facts: 1, perSecond, p50: 1, p99: 1, ...none })
    },
    rss: () => undefined,
    end: () => {
      turns.push(`end of ${name}`)
      return Promise.resolve()
    },
  })
  let measured = 0
  const done = () => {
    measured += 1
  }
  const pairing = { slices: 4, seconds: 1, warmUpSeconds: 1, done }
  const comparison = await paired(subject('a', 300), subject('b', 100), pairing)
  const warmUp = ['a', 'b']
  const pairs = ['a', 'b', 'b', 'a', 'a', 'b', 'b', 'a']
  expect(turns).toEqual([...warmUp, ...pairs, 'end of a', 'end of b'])
  expect(measured).toBe(8)
  expect(comparison.ratio).toMatchObject({ min: 3, max: 3 })
  expect(comparison.pairs.map(({ a, b }) => a.perSecond / b.perSecond)).toEqual([3, 3, 3, 3])
})
