import { expect, test } from '@jest/globals'
import { MemoryEventStore } from '../../src/adapters/memory/memory-event-store.js'
import { erasableStreams } from '../../src/composition/erasing.js'
import { readSettings } from '../../src/composition/settings.js'
import type { OpenStore } from '../../src/composition/store-kind.js'
import { ErasingMemoryStore } from '../support/erasing-memory-store.js'

function erasable(store: OpenStore, settings: Readonly<Record<string, string>> = {}) {
  return erasableStreams(readSettings(settings), store)
}

function storeOf({ keepsPositions }: { readonly keepsPositions: boolean }): OpenStore {
  const store = new ErasingMemoryStore()
  return Object.assign(store, { erasable: { ...store.erasable, keepsPositions } })
}

test('a store in memory can never erase', () => {
  expect(erasable(new MemoryEventStore(), { ERASE: 'on' })).toBe('not_possible')
})

test('a store that keeps positions erases unless ERASE is off', () => {
  const store = storeOf({ keepsPositions: true })
  expect(erasable(store)).toBe(store.erasable)
  expect(erasable(store, { ERASE: 'off' })).toBe('not_ready')
})

test('a store that several processes write to erases only when ERASE is on', () => {
  const store = storeOf({ keepsPositions: false })
  expect(erasable(store)).toBe('not_ready')
  expect(erasable(store, { ERASE: 'on' })).toBe(store.erasable)
})
