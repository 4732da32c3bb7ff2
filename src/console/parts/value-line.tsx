import type { JSX } from 'preact'
import type { ValueWord } from './value-words.js'

/** Some values of an object in one line. */
export function ValueLine({ words }: { words: readonly ValueWord[] }): JSX.Element {
  return (
    <span class="values">
      {words.map(({ name, text }, at) => (
        <span key={at}>
          <bdi class="muted">{name}</bdi> <bdi>{text}</bdi>
        </span>
      ))}
    </span>
  )
}
