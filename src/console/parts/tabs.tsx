import type { JSX } from 'preact'
import { addressOf, type Query } from '../frame/route.js'
import { shownNumber } from './numbers.js'

export interface Tab {
  readonly name: string
  readonly parts: readonly string[]
  readonly query?: Query
  readonly count?: number | undefined
  readonly isCurrent: boolean
}

/** Links between the views of one page. */
export function Tabs({ label, tabs }: { label: string; tabs: readonly Tab[] }): JSX.Element {
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map(({ name, parts, query, count, isCurrent }) => (
        <a key={name} href={addressOf(parts, query)} aria-current={isCurrent ? 'page' : undefined}>
          {name}
          {count !== undefined && <small class="muted"> {shownNumber(count)}</small>}
        </a>
      ))}
    </nav>
  )
}
