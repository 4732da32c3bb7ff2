import { describe, expect, it } from '@jest/globals'
import { pause } from '../../../src/adapters/system/pause.js'
import type { LogHead } from '../../../src/application/facts/ports/fact-log.js'
import { StoreUnavailable } from '../../../src/application/ports/store-errors.js'
import { PositionUnknown, ReadModelBehind } from '../../../src/application/reading/errors.js'
import { WaitForPosition } from '../../../src/application/reading/wait-for-position.js'

const at = (end: number): LogHead => ({ newest: end, end })

/** Waits for position 200 where 100 is applied, while the store says so of its end, the last for ever. */
function waitFor(heads: readonly (LogHead | 'away')[]): Promise<void> {
  let asked = 0
  const wait = new WaitForPosition({
    head: () => {
      const head = heads[Math.min(asked, heads.length - 1)] ?? 'away'
      asked += 1
      return head === 'away' ? Promise.reject(new StoreUnavailable('away')) : Promise.resolve(head)
    },
    isReached: (position) => position <= 100,
    applied: () => 100,
    pause,
  })
  return wait.until(200, performance.now() + 350)
}

describe('a position that is not applied', () => {
  it('is unknown when the store says all the time that it ends before', async () => {
    await expect(waitFor([at(100)])).rejects.toThrow(PositionUnknown)
  })

  it.each([
    ['was away at first', ['away', at(100)]],
    ['had come so far, and then says that it ends before', [at(200), at(100)]],
    ['says that it ends before, and then is away', [at(100), 'away']],
    ['has come so far', [at(200)]],
  ] satisfies [string, (LogHead | 'away')[]][])(
    'is never answered as if it were when the store %s',
    async (_, heads) => {
      await expect(waitFor(heads)).rejects.toThrow(ReadModelBehind)
    },
  )
})
