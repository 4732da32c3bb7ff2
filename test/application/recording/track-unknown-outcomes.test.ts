import { describe, expect, it } from '@jest/globals'
import type { EventStore, Receipt } from '../../../src/application/recording/ports/event-store.js'
import { Refusal } from '../../../src/application/ports/refusal.js'
import { trackUnknownOutcomes } from '../../../src/application/recording/track-unknown-outcomes.js'
import { addition, creation, keyed, storedFact } from '../../support/stored-facts.js'

const receipt: Receipt = { position: '7', facts: [storedFact()], replayed: false }

/** Returns a store that gives these replies, one per call. */
function answering(...answers: readonly (Error | Receipt)[]): EventStore {
  const left = [...answers]
  return {
    append: () => {
      const answer = left.shift()
      return answer === undefined || answer instanceof Error
        ? Promise.reject(answer ?? new TypeError('asked once too often'))
        : Promise.resolve(answer)
    },
  }
}

const append = keyed(addition('entity-a'), 'k')
const unknown = new Refusal('outcome_unknown', 'no answer')

describe('an append after an append with the same key and an unknown outcome', () => {
  it.each([
    new Refusal('store_unavailable', 'gone'),
    new Refusal('overloaded', 'full'),
    new Refusal('clock_untrusted', 'apart'),
  ])('has an unknown outcome too: %s', async (refusal) => {
    const store = trackUnknownOutcomes(answering(unknown, refusal, refusal))
    await expect(store.append(append)).rejects.toBe(unknown)
    await expect(store.append(append)).rejects.toMatchObject({ code: 'outcome_unknown' })
    await expect(store.append(append)).rejects.toMatchObject({ code: 'outcome_unknown' })
  })

  it.each([receipt, new Refusal('stream_missing', 'missing')])(
    'has a known outcome again after a reply that shows it',
    async (answer) => {
      const refusal = new Refusal('store_unavailable', 'gone')
      const store = trackUnknownOutcomes(answering(unknown, answer, refusal))
      await store.append(append).catch(() => undefined)
      await store.append(append).catch(() => undefined)
      await expect(store.append(append)).rejects.toBe(refusal)
    },
  )

  it('has an unknown outcome when it only looks up the key, until the key is found', async () => {
    const notStored = new Refusal('not_stored', 'nothing')
    const store = trackUnknownOutcomes(answering(unknown, notStored, notStored, receipt, notStored))
    const asking = { ...append, expected: 'stored' } as const
    await expect(store.append(append)).rejects.toBe(unknown)
    await expect(store.append(asking)).rejects.toMatchObject({ code: 'outcome_unknown' })
    await expect(store.append(asking)).rejects.toMatchObject({ code: 'outcome_unknown' })
    await expect(store.append(asking)).resolves.toBe(receipt)
    await expect(store.append(asking)).rejects.toBe(notStored)
  })

  it('keeps its refusal after a lookup without a reply', async () => {
    const refusal = new Refusal('store_unavailable', 'gone')
    const store = trackUnknownOutcomes(answering(unknown, refusal))
    await expect(store.append({ ...append, expected: 'stored' })).rejects.toBe(unknown)
    await expect(store.append(append)).rejects.toBe(refusal)
  })

  const beginning = keyed(creation('entity-a'), 'k')

  it.each([
    ['the addition', 'a creation', append, beginning, new Refusal('stream_exists', 'there')],
    ['the creation', 'an addition', beginning, append, new Refusal('stream_missing', 'not there')],
  ])(
    'stays unknown for %s when %s is refused for the state of the stream',
    async (_first, _second, sent, other, answer) => {
      const refusal = new Refusal('store_unavailable', 'gone')
      const store = trackUnknownOutcomes(answering(unknown, answer, refusal, refusal))
      await expect(store.append(sent)).rejects.toBe(unknown)
      await expect(store.append(other)).rejects.toBe(answer)
      await expect(store.append(other)).rejects.toMatchObject({ code: 'outcome_unknown' })
      await expect(store.append(sent)).rejects.toMatchObject({ code: 'outcome_unknown' })
    },
  )

  it('has a known outcome for both kinds when either is stored', async () => {
    const refusal = new Refusal('store_unavailable', 'gone')
    const store = trackUnknownOutcomes(answering(unknown, unknown, receipt, refusal, refusal))
    for (const sent of [append, beginning]) {
      await expect(store.append(sent)).rejects.toBe(unknown)
    }
    await store.append(beginning)
    await expect(store.append(beginning)).rejects.toBe(refusal)
    await expect(store.append(append)).rejects.toBe(refusal)
  })

  it('does not affect other keys, other streams and appends without a key', async () => {
    const refusal = new Refusal('store_unavailable', 'gone')
    const store = trackUnknownOutcomes(answering(unknown, refusal, refusal, refusal))
    await store.append(append).catch(() => undefined)
    await expect(store.append(keyed(addition('entity-a'), 'l'))).rejects.toBe(refusal)
    await expect(store.append(keyed(addition('entity-b'), 'k'))).rejects.toBe(refusal)
    await expect(store.append(addition('entity-a'))).rejects.toBe(refusal)
  })

  it('is forgotten after ten thousand other appends', async () => {
    const refusal = new Refusal('store_unavailable', 'gone')
    const many = Array.from({ length: 10_000 }, (_, n) =>
      keyed(addition('entity-a'), `k${String(n)}`),
    )
    const store = trackUnknownOutcomes(
      answering(unknown, ...many.map(() => unknown), refusal, refusal),
    )
    for (const one of [append, ...many]) await store.append(one).catch(() => undefined)
    await expect(store.append(append)).rejects.toBe(refusal)
    await expect(store.append(many[0] ?? append)).rejects.toMatchObject({ code: 'outcome_unknown' })
  })
})
