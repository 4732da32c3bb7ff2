import { describe, expect, it } from '@jest/globals'
import { Cancellation } from '../../../src/application/ports/cancellation.js'
import { runInPieces } from '../../../src/application/reading/pieces.js'

describe('work in pieces', () => {
  it('returns its result', async () => {
    const work = function* () {
      yield
      return 'done'
    }
    await expect(runInPieces(work())).resolves.toBe('done')
  })

  it('lets other work run, and ends when its caller no longer waits', async () => {
    const waiting = new Cancellation()
    let steps = 0
    const endless = function* () {
      for (;;) {
        steps += 1
        yield
      }
    }
    setImmediate(() => {
      waiting.cancel()
    })
    await expect(runInPieces(endless(), { cancellation: waiting })).rejects.toMatchObject({
      code: 'overloaded',
    })
    expect(steps).toBeGreaterThan(1)
  })
})
