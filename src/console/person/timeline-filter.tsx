import type { JSX } from 'preact'
import { go, withQuery, type Route } from '../frame/route.js'
import { Select } from '../parts/select.js'
import { visible } from '../parts/visible.js'

interface Props {
  readonly route: Route
  /** The names of this person's events. */
  readonly names: readonly string[]
}

/** Selects the events that the timeline shows, and their order. */
export function TimelineFilter({ route, names }: Props): JSX.Element {
  const name = route.query.get('name') ?? ''
  const by = route.query.get('by') === 'recorded' ? 'recorded' : ''
  const known = name === '' || names.includes(name) ? names : [name, ...names]
  const anew = { cursor: undefined, fact: undefined, until: undefined }
  return (
    <span class="row">
      <Select
        label="Event"
        isLabelHidden
        value={name}
        options={[
          ['', 'All events'],
          ...known.map((one) => [one, visible(one).slice(0, 60)] as const),
        ]}
        set={(chosen) => {
          go(withQuery(route, { ...anew, name: chosen }))
        }}
      />
      <Select
        label="Order"
        isLabelHidden
        value={by}
        options={[
          ['', 'by time happened'],
          ['recorded', 'by time recorded'],
        ]}
        set={(chosen) => {
          go(withQuery(route, { ...anew, by: chosen }))
        }}
      />
      <label class="check">
        <input
          type="checkbox"
          checked={route.query.has('voided')}
          onChange={({ currentTarget }) => {
            go(withQuery(route, { ...anew, voided: currentTarget.checked ? 'shown' : undefined }))
          }}
        />
        Show voided events
      </label>
    </span>
  )
}
