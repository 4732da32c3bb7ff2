import { afterEach, jest } from '@jest/globals'

/**
 * The clock of deadlines (`performance.now`), which a test moves when it knows that a call is where it should
 * be: a short deadline would be over before that on a slow machine. Put back after each test.
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
