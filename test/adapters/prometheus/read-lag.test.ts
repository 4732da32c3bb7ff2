import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { ReadLag } from '../../../src/adapters/prometheus/read-metrics.js'

let now = 0
beforeEach(() => {
  now = 5_000
  jest.spyOn(performance, 'now').mockImplementation(() => now)
})
afterEach(() => {
  jest.restoreAllMocks()
})

let progress = { reached: 0, newest: 0 }
function lagFrom(reached: number, newest: number): ReadLag {
  progress = { reached, newest }
  const lag = new ReadLag(() => progress)
  lag.sampleProgress()
  return lag
}

/** A look a second, as long as nothing changes. */
function wait(lag: ReadLag, seconds: number): void {
  for (let second = 0; second < seconds; second += 1) {
    now += 1_000
    lag.sampleProgress()
  }
}

describe('the lag of a read model', () => {
  test('is nought while all that is known is applied', () => {
    const lag = lagFrom(7, 7)
    wait(lag, 3)
    expect([lag.seconds, lag.positions]).toEqual([0, 0])
    progress = { reached: 9, newest: 8 }
    expect([lag.seconds, lag.positions]).toEqual([0, 0])
  })

  test('begins when a fact is known that is not applied, and grows until it is', () => {
    const lag = lagFrom(7, 8)
    expect([lag.seconds, lag.positions]).toEqual([0, 1])
    wait(lag, 20)
    expect([lag.seconds, lag.positions]).toEqual([20, 1])
    progress = { reached: 8, newest: 8 }
    expect([lag.seconds, lag.positions]).toEqual([0, 0])
  })

  test('is that of the oldest fact that waits, whatever came later', () => {
    const lag = lagFrom(0, 10)
    wait(lag, 5)
    progress = { reached: 0, newest: 20 }
    wait(lag, 5)
    expect([lag.seconds, lag.positions]).toEqual([10, 20])
    progress = { reached: 10, newest: 20 }
    expect([lag.seconds, lag.positions]).toEqual([4, 10])
    progress = { reached: 19, newest: 20 }
    expect([lag.seconds, lag.positions]).toEqual([4, 1])
  })

  test('begins anew where the store has another past', () => {
    const lag = lagFrom(0, 1_000)
    wait(lag, 60)
    progress = { reached: 0, newest: 3 }
    expect([lag.seconds, lag.positions]).toEqual([0, 3])
    wait(lag, 2)
    expect(lag.seconds).toBe(2)
  })

  test('is never shown too short, however long it lasts', () => {
    const lag = lagFrom(0, 1)
    for (let second = 1; second <= 4_000; second += 1) {
      progress = { reached: 0, newest: 1 + second }
      wait(lag, 1)
    }
    expect(lag.seconds).toBe(4_000)
    progress = { reached: 4_000, newest: 4_001 }
    expect(lag.seconds).toBeGreaterThan(0)
  })
})
