import { readFact } from '../../../application/facts/fact-format.js'
import { meaningOf } from '../../../application/facts/fact-table.js'
import { lazyEvent } from '../../../application/facts/lazy-event.js'
import type { LoggedFact } from '../../../application/facts/ports/fact-log.js'
import { logTimeAfter } from '../../../domain/facts.js'
import type { PlacedFact } from './projection.js'
import type { StreamStarts } from './stream-starts.js'

/**
 * Facts of ours with the log time at each, up to the first one that cannot be read. `before`: log time
 * before them. `streams`: where the store does not say itself where a stream begins.
 */
export function placeFacts(
  facts: readonly LoggedFact[],
  before: number,
  streams?: StreamStarts,
): { readonly placed: readonly PlacedFact[]; readonly unreadable?: { readonly error: unknown } } {
  const placed: PlacedFact[] = []
  let logTime = before
  for (const logged of facts) {
    try {
      const fact = lazyEvent(logged) ?? readFact(logged)
      if (fact === undefined) continue
      const meaning = meaningOf(fact)
      logTime = logTimeAfter(logTime, meaning)
      const { entity } = meaning
      placed.push({ logged: streams?.placed(logged) ?? logged, fact, entity, logTime })
    } catch (error) {
      return { placed, unreadable: { error } }
    }
  }
  return { placed }
}
