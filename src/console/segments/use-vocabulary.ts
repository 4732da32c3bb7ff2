import { useMemo } from 'preact/hooks'
import { seldomMs } from '../parts/use-answer.js'
import { useDictionary } from '../parts/use-dictionary.js'
import { useSegments } from '../parts/use-segments.js'
import { awaitedVocabulary, type Vocabulary } from './builder/vocabulary.js'
import { vocabularyOf } from './builder/vocabulary-of.js'

const noNames = { events: [], properties: [] }

/**
 * The names of events, properties and segments that the builder offers. If the names
 * cannot be read, the lists are empty, and the user types the names.
 */
export function useVocabularyOfService(): Vocabulary {
  const dictionary = useDictionary()
  const segments = useSegments(seldomMs)
  const isAwaited = [dictionary, segments].some(
    ({ value, error }) => value === undefined && error === undefined,
  )
  return useMemo(
    () =>
      isAwaited
        ? awaitedVocabulary
        : vocabularyOf(dictionary.value ?? noNames, segments.value ?? []),
    [isAwaited, dictionary.value, segments.value],
  )
}
