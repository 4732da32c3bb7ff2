import type { LoggedFact } from '../../../src/application/facts/ports/fact-log.js'
import { describe } from '@jest/globals'
import { ErasingMemoryStore } from '../../support/erasing-memory-store.js'
import { erasableContract } from '../../contracts/erasable-contract.js'

describe('the store in memory', () => {
  erasableContract(() => {
    const store = new ErasingMemoryStore()
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
