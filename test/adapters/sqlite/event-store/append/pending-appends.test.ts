import { describe, expect, it, jest } from '@jest/globals'
import { Refusal } from '../../../../../src/application/ports/refusal.js'
import { PendingAppends } from '../../../../../src/adapters/sqlite/event-store/append/pending-appends.js'
import { bytesOf } from '../../../../../src/application/recording/limit-in-flight.js'
import { addition } from '../../../../support/stored-facts.js'

const append = addition('entity-a')

function settled(promise: Promise<{ readonly position: string }>): Promise<string> {
  return promise.then(
    ({ position }) => position,
    (error: unknown) => (error instanceof Refusal ? error.code : String(error)),
  )
}

describe('pending appends', () => {
  it('are settled in the order in which they were added, over several turns of the event loop', async () => {
    const pending = new PendingAppends(60_000)
    const first = [pending.add(append), pending.add(append)].map(settled)
    pending.endBatch()
    const second = [pending.add(append), pending.add(append)].map(settled)
    pending.endBatch()
    pending.answer([1, { kind: 'missing' }, 2])
    pending.answer([{ kind: 'replayed', position: 1, facts: append.facts }])
    expect(await Promise.all([...first, ...second])).toEqual(['1', 'stream_missing', '2', '1'])
  })

  it('are counted until the writer has answered them, even after their deadline', async () => {
    const pending = new PendingAppends(60_000)
    const both = [pending.add(append), pending.add(append)].map(settled)
    pending.endBatch()
    const { appends, bytes } = pending.queued
    expect(appends).toBe(2)
    expect(bytes).toBe(2 * bytesOf(append))
    pending.endAllAsUnknown('too late')
    expect(await Promise.all(both)).toEqual(['outcome_unknown', 'outcome_unknown'])
    expect(pending.queued).toEqual({ appends, bytes })
    pending.answer([1])
    expect(pending.queued).toEqual({ appends: 1, bytes: bytes / 2 })
    const third = settled(pending.add(append))
    pending.endBatch()
    pending.answer([2, 3])
    expect(await third).toBe('3')
  })

  it('expire in the order of their turns, each after the time-out', async () => {
    jest.useFakeTimers()
    try {
      const pending = new PendingAppends(100)
      const first = settled(pending.add(append))
      pending.endBatch()
      jest.advanceTimersByTime(60)
      const second = settled(pending.add(append))
      pending.endBatch()
      const drained = jest.fn()
      void pending.drained().then(drained)
      jest.advanceTimersByTime(40)
      expect(await first).toBe('outcome_unknown')
      expect(drained).not.toHaveBeenCalled()
      jest.advanceTimersByTime(60)
      expect(await second).toBe('outcome_unknown')
      await pending.drained()
      expect(drained).toHaveBeenCalled()
    } finally {
      jest.useRealTimers()
    }
  })

  it('do not delay a close when there are none', async () => {
    const pending = new PendingAppends(60_000)
    await pending.drained()
    const answered = settled(pending.add(append))
    pending.endBatch()
    pending.answer([1])
    await pending.drained()
    expect(await answered).toBe('1')
  })
})
