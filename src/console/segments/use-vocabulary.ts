import type { TypedValue } from './rows/rows.js'
import type { Vocabulary } from './builder/vocabulary.js'
import { emptyVocabulary } from './builder/vocabulary.js'
import { useSession } from '../frame/session.js'
import { useAnswer } from '../parts/use-answer.js'

/** The names of events, properties and segments that the builder offers. */
export function useVocabularyOfService(): Vocabulary {
  const { client } = useSession()
  const { value: segments = [] } = useAnswer(
    ['segments'],
    (signal) => client.segments.list({}, { signal }).all(),
    0,
  )
  return {
    ...emptyVocabulary,
    segments: segments.map(({ key }) => ({ value: key, words: key })),
  }
}

export type ValueType = TypedValue['type']
