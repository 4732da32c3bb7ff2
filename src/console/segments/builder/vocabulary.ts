import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { TypedName, TypedValue } from '../rows/rows.js'
import type { KnownName } from './known-name.js'

/** The names that the service knows: the builder offers them. A list is empty when it could not be read. */
export interface Vocabulary {
  readonly events: readonly KnownName[]
  readonly properties: readonly KnownName[]
  readonly segments: readonly KnownName[]
  /** The pointers of the properties of an event. */
  readonly propertiesOf: (event: TypedName) => readonly KnownName[]
  /** The type of all values at a pointer, in an event or in people. Undefined: they differ, or none is known. */
  readonly typeOf: (pointer: string, event?: TypedName) => TypedValue['type'] | undefined
}

/** Stands for the names until the service has answered. Until then, the builder shows no rows. */
export const awaitedVocabulary: Vocabulary = {
  events: [],
  properties: [],
  segments: [],
  propertiesOf: () => [],
  typeOf: () => undefined,
}

export const VocabularyContext = createContext<Vocabulary>(awaitedVocabulary)

export function useVocabulary(): Vocabulary {
  return useContext(VocabularyContext)
}
