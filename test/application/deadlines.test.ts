import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals'
import { Deadlines } from '../../src/application/deadlines.js'

beforeEach(() => {
  jest.useFakeTimers()
})

afterEach(() => {
  jest.useRealTimers()
})

describe('deadlines', () => {
  it('fire soon after their time, and never before it', () => {
    const over: string[] = []
    const deadlines = new Deadlines()
    deadlines.add(100, () => over.push('late'))
    deadlines.add(1, () => over.push('early'))
    jest.advanceTimersByTime(99)
    expect(over).toEqual(['early'])
    jest.advanceTimersByTime(21)
    expect(over).toEqual(['early', 'late'])
  })

  it('never fire after they are dropped, even when a firing deadline drops them', () => {
    const over: string[] = []
    const deadlines = new Deadlines()
    const dropped = deadlines.add(10, () => over.push('dropped before'))
    const first = deadlines.add(10, () => {
      over.push('one')
      deadlines.drop(second)
    })
    const second = deadlines.add(10, () => {
      over.push('one')
      deadlines.drop(first)
    })
    deadlines.add(10, () => over.push('other'))
    deadlines.drop(dropped)
    deadlines.drop(dropped)
    jest.advanceTimersByTime(50)
    expect(over.toSorted()).toEqual(['one', 'other'])
  })

  it('leave no timer running when no deadline is open', () => {
    const deadlines = new Deadlines()
    deadlines.drop(deadlines.add(1_000, () => undefined))
    jest.advanceTimersByTime(40)
    expect(jest.getTimerCount()).toBe(0)
  })
})
