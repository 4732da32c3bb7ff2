import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { addressOf, go, withQuery, type Route } from '../frame/route.js'
import { Button } from '../parts/button.js'
import { Select } from '../parts/select.js'
import { PropertyForm } from './property-form.js'
import { isByCreation } from './list-query.js'

/** The controls of the list: its order, the beginning of ids, and a search by a property. */
export function PeopleFilters({ route }: { route: Route }): JSX.Element {
  const { query } = route
  const [begins, setBegins] = useState(query.get('starts_with') ?? '')
  return (
    <div class="row filters">
      <Select
        label="Order"
        isLabelHidden
        value={isByCreation(query) ? 'created' : ''}
        options={[
          ['', 'Latest event first'],
          ['created', 'In order of creation'],
        ]}
        set={(order) => {
          go(withQuery(route, { order, cursor: undefined, starts_with: undefined }))
        }}
      />
      <form
        class="row"
        onSubmit={(event) => {
          event.preventDefault()
          go(withQuery(route, { starts_with: begins, cursor: undefined }))
        }}
      >
        <input
          class="short"
          aria-label="Id begins with"
          placeholder="Id begins with"
          value={begins}
          onInput={({ currentTarget }) => {
            setBegins(currentTarget.value)
          }}
        />
        <Button>Filter</Button>
      </form>
      <PropertyForm />
      {query.has('starts_with') && <a href={addressOf(['people'])}>Show all</a>}
    </div>
  )
}
