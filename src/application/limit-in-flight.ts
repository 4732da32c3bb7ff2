import type { EventStore } from './ports/event-store.js'
import { Overloaded } from './ports/store-errors.js'

/** The same store, refusing with `Overloaded` what comes while `most` appends are under way. */
export function limitInFlight(store: EventStore, most: number): EventStore {
  let inFlight = 0
  return {
    append: async (append) => {
      if (inFlight >= most) throw new Overloaded('too many appends are under way')
      inFlight += 1
      try {
        return await store.append(append)
      } finally {
        inFlight -= 1
      }
    },
  }
}
