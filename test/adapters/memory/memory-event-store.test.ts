import { describe } from '@jest/globals'
import { MemoryEventStore } from '../../../src/adapters/memory/memory-event-store.js'
import { exactAppendsContract } from '../../contracts/exact-appends-contract.js'
import { eventStoreContract } from '../../contracts/event-store-contract.js'

describe('the store in memory', () => {
  eventStoreContract(() => {
    let store = new MemoryEventStore()
    return {
      open: () => {
        store = new MemoryEventStore()
        return Promise.resolve(store)
      },
      stored: (stream) => Promise.resolve(store.read(stream)),
      keepsItsFacts: false,
    }
  }, undefined)

  exactAppendsContract(() => ({
    open: () => Promise.resolve(new MemoryEventStore()),
    keepsItsFacts: false,
  }))
})
