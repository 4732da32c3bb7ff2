import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { addressOf, go } from '../frame/route.js'
import { Button } from '../parts/button.js'
import { useDictionary } from '../parts/use-dictionary.js'
import { visible } from '../parts/visible.js'
import { placeName, searchPlaces, type SearchPlace } from './columns.js'

interface Props {
  /** The property that the current search uses. */
  readonly place?: SearchPlace
  readonly is?: string
}

/** A form that finds people by one of their properties, or by a property of their events. */
export function PropertyForm({ place, is = '' }: Props): JSX.Element | null {
  const { value } = useDictionary()
  const known = value === undefined ? [] : searchPlaces(value)
  const names = known.map(placeName)
  const places = place === undefined || names.includes(placeName(place)) ? known : [place, ...known]
  const [chosen, setChosen] = useState(place)
  const [text, setText] = useState(is)
  if (places.length === 0) return null
  const current = chosen ?? places[0]
  return (
    <form
      class="row"
      onSubmit={(event) => {
        event.preventDefault()
        if (current === undefined) return
        go(addressOf(['people'], { event: current.event, property: current.property, is: text }))
      }}
    >
      <select
        aria-label="Property"
        value={current === undefined ? '' : placeName(current)}
        onChange={({ currentTarget }) => {
          setChosen(places[currentTarget.selectedIndex])
        }}
      >
        {places.map((one) => (
          <option key={placeName(one)}>{visible(placeName(one)).slice(0, 60)}</option>
        ))}
      </select>
      <input
        class="short"
        aria-label="is exactly"
        placeholder="is exactly"
        required
        value={text}
        onInput={({ currentTarget }) => {
          setText(currentTarget.value)
        }}
      />
      <Button>Find</Button>
    </form>
  )
}
