import { eventStoreDbStore } from './eventstoredb-module.js'
import { memoryStore } from './memory-module.js'
import { sqliteStore } from './sqlite-module.js'
import type { StoreKind } from './store-kind.js'

/** Every kind of store; a new one is added here and nowhere else. */
const kinds: readonly StoreKind[] = [sqliteStore, memoryStore, eventStoreDbStore]

export const storeForms = formsOf(kinds)

/** Of those that facts can be copied out of and into. */
export const copyForms = formsOf(kinds.filter(({ copies }) => copies !== undefined))

export function storeKindOf(url: string): StoreKind | undefined {
  return kinds.find((kind) => kind.accepts(url))
}

function formsOf(some: readonly StoreKind[]): string {
  return some.map(({ form }) => form).join(', or ')
}
