import type { JSX } from 'preact'
import { withQuery, type Route } from '../frame/route.js'

interface Props {
  readonly route: Route
  /** `next_cursor` of the page that is shown. */
  readonly next: string | null | undefined
}

/** Links to the first page and to the next one. The cursor is in the address. */
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
