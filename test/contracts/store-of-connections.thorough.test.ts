import { describe, expect, it } from '@jest/globals'
import { MemoryEventStore } from '../../src/adapters/memory/memory-event-store.js'
import { eventStoreContract } from './event-store-contract.js'
import { exactAppendsContract } from './exact-appends-contract.js'
import { factLogContract } from './fact-log-contract.js'
import { faultOfPositions } from './held-append.js'
import { StoreOfConnections, type Positions } from '../support/store-of-connections.js'

/** Chance decides how each of these runs. */
const rounds = Array.from({ length: 20 }, (_, round) => round + 1)

function storeWith(positions: Positions): StoreOfConnections {
  return new StoreOfConnections(new MemoryEventStore(), positions)
}

async function faultOf(positions: Positions): Promise<string | undefined> {
  const store = storeWith(positions)
  return faultOfPositions(store, () => store.holdAppend())
}

it.each(rounds)('a store with positions from a sequence is caught, round %d', async () => {
  expect(await faultOf('from-sequence')).toMatch(
    /^an append was acknowledged at position \d while another one was open, .* never sees 1\. Give positions in the order of commits/,
  )
})

it.each(rounds)('a store with positions in the order of commits passes, round %d', async () => {
  expect(await faultOf('at-commit')).toBeUndefined()
})

describe('a right store on many connections, on which appends of one tick land in any order', () => {
  let memory: MemoryEventStore
  let store: StoreOfConnections

  eventStoreContract(
    () => ({
      open: () => {
        memory = new MemoryEventStore()
        store = new StoreOfConnections(memory, 'at-commit')
        return Promise.resolve(store)
      },
      stored: (stream) => Promise.resolve(memory.read(stream)),
      keepsItsFacts: false,
    }),
    () => store.holdAppend(),
  )

  exactAppendsContract(() => ({
    open: () => Promise.resolve(storeWith('at-commit')),
    keepsItsFacts: false,
  }))

  factLogContract('its log', () => {
    const log = new MemoryEventStore()
    const store = new StoreOfConnections(log, 'at-commit')
    return Promise.resolve({ store, log, close: () => store.close() })
  })
})
