import type { JSX } from 'preact'
import { addressOf } from '../frame/route.js'
import { SegmentName, Text } from './id.js'
import type { Word, Words } from './rule-words.js'
import { cut } from './visible.js'
import { When } from './when.js'

interface Props {
  readonly words: Words
  /** The id of the person. With it, the key of a segment links to the page that explains the person's membership. */
  readonly person?: string | undefined
}

/** A sentence of words and names. */
export function Sentence({ words, person }: Props): JSX.Element {
  return (
    <>
      {words.map((word) =>
        typeof word === 'string' ? word : <Named word={word} person={person} />,
      )}
    </>
  )
}

const shownAtMost = 120

function Named({
  word,
  person,
}: {
  word: Exclude<Word, string>
  person: string | undefined
}): JSX.Element {
  if ('at' in word) return <When at={word.at} plain />
  if ('name' in word) {
    const { shown, rest } = cut(word.name, shownAtMost)
    return (
      <code>
        <Text text={rest > 0 ? `${shown}…` : shown} />
      </code>
    )
  }
  if (person === undefined) return <SegmentName segment={word.segment} />
  return <a href={addressOf(['people', person, 'why', word.segment])}>{word.segment}</a>
}
