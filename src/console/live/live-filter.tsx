import type { JSX } from 'preact'
import { addressOf, go, withQuery, type Route } from '../frame/route.js'
import { Select } from '../parts/select.js'
import { factWords } from './fact-words.js'

interface Props {
  readonly route: Route
  readonly type: string
  readonly person: string
}

/** Selects the facts that the page shows. */
export function LiveFilter({ route, type, person }: Props): JSX.Element {
  return (
    <div class="row filters">
      <Select
        label="Show"
        value={type}
        options={[['', 'everything'], ...factWords]}
        set={(chosen) => {
          go(withQuery(route, { type: chosen }))
        }}
      />
      <form
        class="row"
        onSubmit={(event) => {
          event.preventDefault()
          const text = new FormData(event.currentTarget).get('person')
          go(withQuery(route, { person: typeof text === 'string' ? text.trim() : '' }))
        }}
      >
        <label class="check">
          Person
          <input name="person" placeholder="any id" key={person} defaultValue={person} />
        </label>
      </form>
      {(type !== '' || person !== '') && <a href={addressOf(['live'])}>Show everything</a>}
    </div>
  )
}
