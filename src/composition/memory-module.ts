import { MemoryEventStore } from '../adapters/memory/memory-event-store.js'
import type { StoreKind } from './store-kind.js'

const url = 'memory:'

export const memoryStore: StoreKind = {
  form: url,
  accepts: (given) => given === url,
  shown: () => url,
  open: () => Promise.resolve(new MemoryEventStore()),
}
