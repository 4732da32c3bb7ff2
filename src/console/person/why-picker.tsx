import type { JSX } from 'preact'
import { go } from '../frame/route.js'
import { Menu, MenuItem } from '../parts/menu.js'
import { useSegments } from '../parts/use-segments.js'

/** A choice of any segment, to explain why a person is in it or not. `to` returns the address of the explanation. */
export function WhyPicker({ to }: { to: (segment: string) => string }): JSX.Element | null {
  const { value } = useSegments()
  if (value === undefined || value.length === 0) return null
  return (
    <Menu name="Why in a segment?" look="primary">
      {value.map(({ key }) => (
        <MenuItem
          key={key}
          icon="pie"
          onClick={() => {
            go(to(key))
          }}
        >
          {key}
        </MenuItem>
      ))}
    </Menu>
  )
}
