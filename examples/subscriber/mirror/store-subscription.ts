import { FactSubscription } from 'dossier/subscription'
import type { FactSource } from './fact-source.js'
import { isSegmentFact } from './segment-facts.js'

/** The facts of a segment as EventStoreDB gives them. Throws what `FactSubscription` throws. */
export function storeSubscriptionOf(url: string, segment: string): FactSource {
  return (after, listener, signal) =>
    new FactSubscription({
      url,
      after,
      signal,
      handle: (fact, position) => {
        const place = { ...position, idBegins: fact.id.slice(0, 8).toLowerCase() }
        if (isSegmentFact(fact) && fact.data.segment === segment)
          return listener.handle(fact, place)
        return listener.reached(place)
      },
      reached: listener.reached,
      caughtUp: listener.caughtUp,
      passedOver: listener.passedOver,
      interrupted: listener.interrupted,
    }).run()
}
