import { eventStoreDbStore } from './eventstoredb-module.js'
import { memoryStore } from './memory-module.js'
import { sqliteStore } from './sqlite-module.js'
import type { StoreKind } from './store-kind.js'

/** Every kind of store; a new one is added here and nowhere else. */
const kinds: readonly StoreKind[] = [sqliteStore, memoryStore, eventStoreDbStore]

export const storeForms = kinds.map(({ form }) => form).join(', or ')

export function storeKindOf(url: string): StoreKind | undefined {
  return kinds.find((kind) => kind.accepts(url))
}
