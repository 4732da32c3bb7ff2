import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { TypedName, TypedValue } from '../rows/rows.js'
import type { KnownName } from './known-name.js'

/** The recorded names that the builder offers. A list is empty when the names could not be read. */
export interface Vocabulary {
  readonly events: readonly KnownName[]
  readonly properties: readonly KnownName[]
  readonly segments: readonly KnownName[]
  /** Returns the pointers of the properties of an event. */
  readonly propertiesOf: (event: TypedName) => readonly KnownName[]
  /**
   * Returns the type of all values at a pointer, in an event or in people. Returns undefined when the types differ or
   * no value is known.
   */
  readonly typeOf: (pointer: string, event?: TypedName) => TypedValue['type'] | undefined
}

/** The vocabulary before the service has answered. The builder shows no rows with it. */
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
