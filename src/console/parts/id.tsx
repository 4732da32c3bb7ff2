import type { JSX } from 'preact'
import { addressOf } from '../frame/route.js'
import { visible } from './visible.js'

/** Shows a text of a customer safely. The text may contain any characters. */
export function Text({ text }: { text: string }): JSX.Element {
  return <bdi>{visible(text)}</bdi>
}

/** The id of a person, as a link to their page. */
export function Person({ id }: { id: string }): JSX.Element {
  return (
    <a class="id" href={addressOf(['people', id])}>
      <Text text={id} />
    </a>
  )
}

/** The key of a segment, as a link to its page. */
export function SegmentName({ segment }: { segment: string }): JSX.Element {
  return (
    <a class="id" href={addressOf(['segments', segment])}>
      {segment}
    </a>
  )
}
