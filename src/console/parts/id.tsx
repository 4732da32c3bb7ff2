import type { JSX } from 'preact'
import { addressOf } from '../frame/route.js'
import { visible } from './visible.js'

/** A text of the caller's, whatever is in it. */
export function Text({ text }: { text: string }): JSX.Element {
  return <bdi>{visible(text)}</bdi>
}

/** The name of a person; it leads to the person. */
export function Person({ id }: { id: string }): JSX.Element {
  return (
    <a class="id" href={addressOf(['people', id])}>
      <Text text={id} />
    </a>
  )
}

/** The key of a segment; it leads to the segment. */
export function SegmentName({ segment }: { segment: string }): JSX.Element {
  return (
    <a class="id" href={addressOf(['segments', segment])}>
      {segment}
    </a>
  )
}
