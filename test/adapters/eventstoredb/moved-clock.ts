import { afterEach, jest } from '@jest/globals'

/**
 * Lets a test advance the clock of deadlines (`performance.now`) when a call has reached a certain point. Tests use
 * this instead of short deadlines, which could expire too early on a slow machine. The clock is reset after each test.
 */
export function movedClock(): { advance(milliseconds: number): void } {
  let aheadMs = 0
  afterEach(() => {
    aheadMs = 0
    jest.restoreAllMocks()
  })
  return {
    advance: (milliseconds) => {
      if (aheadMs === 0) {
        const now = performance.now.bind(performance)
        jest.spyOn(performance, 'now').mockImplementation(() => now() + aheadMs)
      }
      aheadMs += milliseconds
    },
  }
}
