import type { JSX } from 'preact'
import { Icon } from '../parts/icon.js'
import { shownNumber } from '../parts/numbers.js'
import { Brand } from './brand.js'
import { Health } from './health.js'
import { MorePlaces } from './more-places.js'
import { places, type Place } from './places.js'
import { addressOf } from './route.js'
import { useCounts } from './use-counts.js'

/** The way to every page. Below 900 px only icons, below 520 px a bar at the bottom. */
export function Sidebar({ part }: { part: string }): JSX.Element {
  const counts = useCounts()
  return (
    <div class="side">
      <div>
        <Brand />
        <nav aria-label="Pages">
          {places.map((place) => (
            <PlaceLink
              key={place.part}
              place={place}
              count={counts.get(place.part)}
              isCurrent={place.part === part}
            />
          ))}
        </nav>
        <MorePlaces part={part} />
        <Health />
      </div>
    </div>
  )
}

interface PlaceLinkProps {
  readonly place: Place
  /** How many of its things there are; undefined: not known, or not counted. */
  readonly count: number | undefined
  readonly isCurrent: boolean
}

function PlaceLink({ place, count, isCurrent }: PlaceLinkProps): JSX.Element {
  return (
    <a
      class={place.isRare === true ? 'place rare' : 'place'}
      href={addressOf(place.part === '' ? [] : [place.part])}
      aria-current={isCurrent ? 'page' : undefined}
      aria-label={place.title}
      title={place.title}
    >
      <Icon name={place.icon} />
      <span>{place.title}</span>
      {count !== undefined && <small>{shownNumber(count)}</small>}
    </a>
  )
}
