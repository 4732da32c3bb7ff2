import type { JSX } from 'preact'
import { Button } from '../../parts/button.js'

interface Props {
  /** Of the page that is shown; undefined: the first one. */
  readonly cursor: string | undefined
  readonly next: string | null | undefined
  readonly set: (cursor: string | undefined) => void
}

/** To the first page and to the next one of a list inside a page. */
export function PageButtons({ cursor, next, set }: Props): JSX.Element | null {
  const hasNext = typeof next === 'string'
  if (cursor === undefined && !hasNext) return null
  return (
    <div class="row pages">
      {cursor !== undefined && (
        <Button
          onClick={() => {
            set(undefined)
          }}
        >
          First page
        </Button>
      )}
      {hasNext && (
        <Button
          onClick={() => {
            set(next)
          }}
        >
          Next page
        </Button>
      )}
    </div>
  )
}
