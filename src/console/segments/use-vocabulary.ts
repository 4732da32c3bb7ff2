import { useMemo } from 'preact/hooks'
import { useSession } from '../frame/session.js'
import { seldomMs, useAnswer } from '../parts/use-answer.js'
import { useDictionary } from '../parts/use-dictionary.js'
import type { Vocabulary } from './builder/vocabulary.js'
import { vocabularyOf } from './builder/vocabulary-of.js'

const noNames = { events: [], properties: [] }

/** The names of events, properties and segments that the builder offers. */
export function useVocabularyOfService(): Vocabulary {
  const { client } = useSession()
  const { value: dictionary } = useDictionary()
  const { value: segments } = useAnswer(
    ['segments'],
    (signal) => client.segments.list({}, { signal }).all(),
    seldomMs,
  )
  return useMemo(() => vocabularyOf(dictionary ?? noNames, segments ?? []), [dictionary, segments])
}
