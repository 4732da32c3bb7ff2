import { useMemo } from 'preact/hooks'
import { seldomMs } from '../parts/use-answer.js'
import { useDictionary } from '../parts/use-dictionary.js'
import { useSegments } from '../parts/use-segments.js'
import type { Vocabulary } from './builder/vocabulary.js'
import { vocabularyOf } from './builder/vocabulary-of.js'

const noNames = { events: [], properties: [] }

/** The names of events, properties and segments that the builder offers. */
export function useVocabularyOfService(): Vocabulary {
  const { value: dictionary } = useDictionary()
  const { value: segments } = useSegments(seldomMs)
  return useMemo(() => vocabularyOf(dictionary ?? noNames, segments ?? []), [dictionary, segments])
}
