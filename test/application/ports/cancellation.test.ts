import { describe, expect, it } from '@jest/globals'
import { Cancellation } from '../../../src/application/ports/cancellation.js'

describe('a cancellation', () => {
  it('calls each listener once, and no listener that was removed', () => {
    const cancellation = new Cancellation()
    const heard: string[] = []
    const leaving = () => heard.push('leaving')
    cancellation.listen(leaving)
    cancellation.listen(() => heard.push('first'))
    cancellation.listen(() => heard.push('second'))
    cancellation.forget(leaving)
    expect(cancellation.isCancelled).toBe(false)
    cancellation.cancel()
    cancellation.cancel()
    expect([cancellation.isCancelled, heard]).toEqual([true, ['first', 'second']])
  })

  it('calls all listeners even if one of them removes itself', () => {
    const cancellation = new Cancellation()
    const heard: string[] = []
    const first = () => {
      cancellation.forget(first)
      heard.push('first')
    }
    cancellation.listen(first)
    cancellation.listen(() => heard.push('second'))
    cancellation.cancel()
    expect(heard).toEqual(['first', 'second'])
  })
})
