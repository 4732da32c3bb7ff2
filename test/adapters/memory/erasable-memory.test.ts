import type { LoggedFact } from '../../../src/application/facts/ports/fact-log.js'
import { describe } from '@jest/globals'
import { MemoryEventStore } from '../../../src/adapters/memory/memory-event-store.js'
import { erasableStreamsContract } from '../../contracts/erasable-streams-contract.js'

describe('the store in memory', () => {
  erasableStreamsContract(() => {
    const store = new MemoryEventStore()
    return {
      open: () => Promise.resolve(store),
      logged: async () => {
        const facts: LoggedFact[] = []
        const { end } = await store.head()
        if (end === 0) return facts
        for await (const page of store.follow(0, new AbortController().signal)) {
          facts.push(...page.facts)
          if (page.reached === end) break
        }
        return facts
      },
      keepsItsFacts: false,
      canRelease: true,
      keepsPositions: true,
    }
  })
})
