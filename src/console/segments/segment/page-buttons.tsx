import type { JSX } from 'preact'
import { Button } from '../../parts/button.js'

interface Props {
  /** The cursor of the current page. Undefined for the first page. */
  readonly cursor: string | undefined
  readonly next: string | null | undefined
  readonly set: (cursor: string | undefined) => void
}

/** Buttons for the first page and the next page of a list that is part of a page. */
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
