import { describe, expect, it } from '@jest/globals'
import {
  RecentKeys,
  type IndexStep,
  type KeyEntry,
} from '../../../../../src/adapters/sqlite/event-store/append/recent-keys.js'

const limits = { keys: 200, facts: 1_000 }

/** Returns the key of the n-th fact. Each fact is one append with a key, to one of seven streams. */
function entry(n: number): KeyEntry {
  const key = Buffer.alloc(32)
  key.writeUInt32BE(Math.imul(n, 0x9e37_79b1) >>> 0)
  return { streamId: 1 + (n % 7), key, first: n, last: n }
}

/**
 * Adds the keys of `count` facts, one group per fact. `committed` receives the index entries that each group
 * writes.
 */
function addGroups(keys: RecentKeys, count: number, committed: (step: IndexStep) => void) {
  for (let n = 1; n <= count; n += 1) {
    const step = keys.nextStep(n - 1, 1)
    keys.add(entry(n))
    keys.committed()
    committed(step)
  }
}

describe('the keys of the latest facts', () => {
  it('are found until they are in the index, and each key is written to the index once', () => {
    const keys = new RecentKeys(0, limits)
    // The last facts begin a round, so some keys are found in the keys of the round.
    const all = 2_002
    const index = new Map<number, KeyEntry>()
    const writtenAgain: KeyEntry[] = []
    const lost: number[] = []
    let indexedUpTo = 0
    addGroups(keys, all, (step) => {
      for (const one of step.entries) {
        if (index.has(one.last)) writtenAgain.push(one)
        index.set(one.last, one)
      }
      indexedUpTo = step.indexedUpTo ?? indexedUpTo
    })
    expect(indexedUpTo).toBeGreaterThanOrEqual(1_800)
    for (let n = 1; n <= all; n += 1) {
      const { streamId, key } = entry(n)
      const isIndexed = index.has(n)
      const found = isIndexed ? undefined : keys.find(streamId, key)
      if (!isIndexed && (n <= indexedUpTo || found?.first !== n || found.last !== n)) lost.push(n)
    }
    expect([writtenAgain, lost]).toEqual([[], []])
    const left = keys.lastStep(all)
    expect(left.indexedUpTo).toBe(all)
    expect(index.size + left.entries.length).toBe(all)
  })

  it('are written to the index in the order of their streams', () => {
    const keys = new RecentKeys(0, limits)
    let steps: IndexStep[] = []
    addGroups(keys, 204, (step) => {
      if (step.entries.length > 0) steps = [...steps, step]
    })
    const streams = steps.flatMap(({ entries }) => entries.map(({ streamId }) => streamId))
    expect(streams).toHaveLength(200)
    expect(streams).toEqual([...streams].sort((left, right) => left - right))
  })

  it('are written again when their step failed, and the keys of the failed group are removed', () => {
    const keys = new RecentKeys(0, limits)
    addGroups(keys, 200, () => undefined)
    const failed = keys.nextStep(200, 1)
    keys.add(entry(201))
    keys.failed()
    expect(failed.entries).toHaveLength(64)
    expect(keys.find(entry(201).streamId, entry(201).key)).toBeUndefined()
    expect(keys.nextStep(200, 1)).toEqual(failed)
  })

  it('complete a round even if each group adds many keys', () => {
    const keys = new RecentKeys(0, limits)
    let ends = 0
    for (let group = 0; group < 50; group += 1) {
      const step = keys.nextStep(group * 300, 300)
      for (let n = 1; n <= 300; n += 1) keys.add(entry(group * 300 + n))
      keys.committed()
      ends += step.indexedUpTo === undefined ? 0 : 1
    }
    expect(ends).toBeGreaterThan(20)
  })

  it('record that no keys are missing, so that a start does not search for keys', () => {
    const keys = new RecentKeys(0, limits)
    expect(keys.nextStep(999, 1)).toEqual({ entries: [], indexedUpTo: undefined })
    expect(keys.nextStep(1_000, 1)).toEqual({ entries: [], indexedUpTo: 1_000 })
  })
})
