import type { JSX } from 'preact'

/** Fills the space of rows that are not loaded yet, so that the page does not jump. */
export function Skeleton({ rows = 5 }: { rows?: number }): JSX.Element {
  return (
    <div class="skeleton" role="status" aria-label="Loading">
      {Array.from({ length: rows }, (_none, at) => (
        <span key={at} />
      ))}
    </div>
  )
}
