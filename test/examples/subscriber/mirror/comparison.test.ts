import { beforeEach, expect, test } from '@jest/globals'
import { Comparison } from '../../../../examples/subscriber/mirror/comparison.js'

let now: number
let comparison: Comparison

beforeEach(() => {
  now = 1_000
  comparison = new Comparison({ everyMs: 300, patienceMs: 60, now: () => now })
})

test('equal as soon as the digest is; it differs when the time is over', () => {
  expect(comparison.verdict('y')).toBe('open')
  comparison.expect({ position: 10n, digest: 'x' })
  expect(comparison.verdict('y')).toBe('open')
  expect(comparison.verdict('x')).toBe('equal')
  now += 59
  comparison.followedTo(10n)
  comparison.followedTo(20n)
  expect(comparison.verdict('y')).toBe('open')
  now += 1
  expect(comparison.verdict('y')).toBe('differs')
  expect(comparison.verdict('x')).toBe('equal')
})

test('the time begins when what lies before the answer has been followed', () => {
  comparison.expect({ position: 10n, digest: 'x' })
  now += 59
  comparison.followedTo(9n)
  now += 59
  expect(comparison.verdict('y')).toBe('open')
  now += 1
  expect(comparison.verdict('y')).toBe('differs')
})

test('what does not hold any more is asked again at once; an answer that did not come, later', () => {
  comparison.expect({ position: 10n, digest: 'x' })
  comparison.startAgain()
  expect([comparison.isDue, comparison.verdict('x')]).toEqual([true, 'open'])
  comparison.putOff()
  expect(comparison.isDue).toBe(false)
  now += 5_000
  expect(comparison.isDue).toBe(true)
})
