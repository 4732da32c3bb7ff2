import type { EventStore } from './ports/event-store.js'
import { Overloaded } from './ports/store-errors.js'

/**
 * The same store, refusing with `Overloaded` what comes while `most` appends are under way. A refusal
 * asks the store to catch up: it may know of appends that have ended and not have said so yet.
 */
export function limitInFlight(
  store: EventStore,
  most: number,
  catchUp: () => void = () => undefined,
): EventStore {
  let inFlight = 0
  // Made once: an error costs as much as the rest of a refusal, and says the same every time.
  const tooMany = new Overloaded('too many appends are under way')
  const settled = () => {
    inFlight -= 1
  }
  return {
    append: (append) => {
      if (inFlight >= most) {
        catchUp()
        return Promise.reject(tooMany)
      }
      inFlight += 1
      const appended = store.append(append)
      appended.then(settled, settled)
      return appended
    },
  }
}
