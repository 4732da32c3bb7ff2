import type { JSX } from 'preact'
import { Menu, MenuItem } from '../parts/menu.js'
import { places } from './places.js'
import { addressOf, go } from './route.js'

/** A menu of the pages that do not fit into the bottom bar of a narrow window. */
export function MorePlaces({ part }: { part: string }): JSX.Element {
  const rare = places.filter(({ isRare }) => isRare === true)
  const isCurrent = rare.some((place) => place.part === part)
  return (
    <div class={isCurrent ? 'more-places current' : 'more-places'}>
      <Menu name={undefined} label="More pages" icon="more" look="quiet">
        {rare.map((place) => (
          <MenuItem
            key={place.part}
            icon={place.icon}
            onClick={() => {
              go(addressOf([place.part]))
            }}
          >
            {place.title}
          </MenuItem>
        ))}
      </Menu>
    </div>
  )
}
