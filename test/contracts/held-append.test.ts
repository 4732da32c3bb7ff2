import { expect, it } from '@jest/globals'
import { MemoryEventStore } from '../../src/adapters/memory/memory-event-store.js'
import type { Append, EventStore } from '../../src/application/recording/ports/event-store.js'
import { createBarrier } from '../support/eventstoredb/gate.js'
import { faultOfPositions } from './held-append.js'

/** A store that takes the position of an append before its commit, from a sequence without locks. */
function storeWithSequence() {
  const facts = new MemoryEventStore()
  const barrier = createBarrier()
  let position = 0
  const store: EventStore = {
    append: async (append: Append) => {
      position += 1
      const own = String(position)
      if (own === '1') await barrier.pass()
      return { ...(await facts.append(append)), position: own }
    },
  }
  const holdAppend = () => Promise.resolve({ ...barrier, holdsUpOthers: false })
  return { store, holdAppend }
}

it('a store that gives positions before the commit is caught', async () => {
  const { store, holdAppend } = storeWithSequence()
  expect(await faultOfPositions(store, holdAppend)).toMatch(
    /^an append was acknowledged at position \d while another one was open, .* never sees 1\. Give positions in the order of commits/,
  )
})
