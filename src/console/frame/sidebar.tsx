import type { JSX } from 'preact'
import { Icon } from '../parts/icon.js'
import { shownNumber } from '../parts/numbers.js'
import { Brand } from './brand.js'
import { Health } from './health.js'
import { MorePlaces } from './more-places.js'
import { places, type Place } from './places.js'
import { addressOf } from './route.js'
import { useCounts } from './use-counts.js'

/** Links to all pages. A window below 900 px shows only icons, and below 520 px a bar at the bottom. */
export function Sidebar({ part }: { part: string }): JSX.Element {
  const counts = useCounts()
  return (
    <nav class="side" aria-label="Pages">
      <div>
        <Brand />
        <div class="places">
          {places.map((place) => (
            <PlaceLink
              key={place.part}
              place={place}
              count={counts.get(place.part)}
              isCurrent={place.part === part}
            />
          ))}
        </div>
        <MorePlaces part={part} />
        <Health />
      </div>
    </nav>
  )
}

interface PlaceLinkProps {
  readonly place: Place
  /** The number of items on the page. Undefined when the number is unknown or not counted. */
  readonly count: number | undefined
  readonly isCurrent: boolean
}

function PlaceLink({ place, count, isCurrent }: PlaceLinkProps): JSX.Element {
  return (
    <a
      class={place.isRare === true ? 'place rare' : 'place'}
      href={addressOf(place.part === '' ? [] : [place.part])}
      aria-current={isCurrent ? 'page' : undefined}
      title={place.title}
    >
      <Icon name={place.icon} />
      <span>{place.title}</span>
      {count !== undefined && <small aria-hidden="true">{shownNumber(count)}</small>}
    </a>
  )
}
