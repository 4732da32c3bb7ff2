import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { ListedEntity } from '../../client/dossier.js'
import { withQuery as pathWith } from '../../client/requests.js'
import { Nobody } from '../find/nobody.js'
import { addressOf, go, type Route } from '../frame/route.js'
import { useSession } from '../frame/session.js'
import { useAsked } from '../parts/asked.js'
import { CopyCall, literal } from '../parts/copy-call.js'
import { Person as PersonName } from '../parts/id.js'
import { Json } from '../parts/json.js'
import { Pager } from '../parts/pager.js'
import { Trouble } from '../parts/trouble.js'
import { When, WhenHead } from '../parts/when.js'
import { listQuery } from './list-query.js'

const pageSize = 50

/** People by creation, by how their ids begin, or by a property. */
export function PeopleList(route: Route): JSX.Element {
  const { client } = useSession()
  const { query } = route
  const asked = listQuery(query)
  const page = { ...asked, limit: pageSize, cursor: query.get('cursor') ?? undefined }
  const { value, error } = useAsked(
    (signal) => client.entities.list(asked, { signal }).page(page.cursor),
    [query.toString()],
  )
  const isFiltered = asked.starts_with !== undefined || asked.property !== undefined
  return (
    <>
      <h1>People</h1>
      <Filters key={query.toString()} query={query} />
      <Trouble error={error} />
      {value?.items.length === 0 && isFiltered && <p class="empty">Nobody is found so.</p>}
      {value?.items.length === 0 && !isFiltered && <Nobody />}
      {value !== undefined && value.items.length > 0 && <Table items={value.items} />}
      <Pager route={route} next={value?.next_cursor} />
      <CopyCall
        path={pathWith('/entities', page)}
        code={`const { items, next_cursor } = await dossier.entities.list(${literal(page)}).page()`}
      />
    </>
  )
}

function Table({ items }: { items: readonly ListedEntity[] }): JSX.Element {
  return (
    <div class="wide">
      <table>
        <thead>
          <tr>
            <th>Person</th>
            <WhenHead name="Created" />
            <WhenHead name="Changed" />
            <th>Properties</th>
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <tr key={item.entity_id}>
              <td>
                <PersonName id={item.external_id} />
              </td>
              <td>
                <When at={item.created_at} />
              </td>
              <td>
                <When at={item.updated_at} />
              </td>
              <td>
                <Json value={item.properties} inLine />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Filters({ query }: { query: URLSearchParams }): JSX.Element {
  const [begins, setBegins] = useState(query.get('starts_with') ?? '')
  const [property, setProperty] = useState(query.get('property') ?? '/email')
  const [is, setIs] = useState(query.get('is') ?? '')
  return (
    <div class="row">
      <form
        class="row"
        onSubmit={(event) => {
          event.preventDefault()
          go(addressOf(['people'], { starts_with: begins }))
        }}
      >
        <label>
          Id begins with
          <input
            value={begins}
            onInput={({ currentTarget }) => {
              setBegins(currentTarget.value)
            }}
          />
        </label>
        <button type="submit">Find</button>
      </form>
      <form
        class="row"
        onSubmit={(event) => {
          event.preventDefault()
          go(addressOf(['people'], { property, is }))
        }}
      >
        <label>
          Property
          <input
            required
            value={property}
            onInput={({ currentTarget }) => {
              setProperty(currentTarget.value)
            }}
          />
        </label>
        <label>
          is exactly
          <input
            required
            value={is}
            onInput={({ currentTarget }) => {
              setIs(currentTarget.value)
            }}
          />
        </label>
        <button type="submit">Find</button>
      </form>
      {query.size > 0 && <a href={addressOf(['people'])}>All, by creation</a>}
    </div>
  )
}
