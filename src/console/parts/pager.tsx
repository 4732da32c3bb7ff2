import type { JSX } from 'preact'
import { withQuery, type Route } from '../frame/route.js'

interface Props {
  readonly route: Route
  /** The `next_cursor` of the current page. */
  readonly next: string | null | undefined
}

/** Links to the first page and to the next page. The address contains the cursor. */
export function Pager({ route, next }: Props): JSX.Element | null {
  const hasNext = typeof next === 'string'
  const hasFirst = route.query.has('cursor')
  if (!hasNext && !hasFirst) return null
  return (
    <p class="row">
      {hasFirst && <a href={withQuery(route, { cursor: undefined })}>First page</a>}
      {typeof next === 'string' && <a href={withQuery(route, { cursor: next })}>Next page</a>}
    </p>
  )
}
