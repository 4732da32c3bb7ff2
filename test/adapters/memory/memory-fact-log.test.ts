import { MemoryEventStore } from '../../../src/adapters/memory/memory-event-store.js'
import { factLogContract } from '../../contracts/fact-log-contract.js'

factLogContract('MemoryEventStore', () => {
  const store = new MemoryEventStore()
  return Promise.resolve({ store, log: store, close: () => store.close() })
})
