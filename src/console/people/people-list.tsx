import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { ListedEntity } from '../../client/dossier.js'
import { withQuery as pathWith } from '../../client/requests.js'
import { Field } from '../parts/field.js'
import { Nobody } from '../find/nobody.js'
import { addressOf, go, type Route } from '../frame/route.js'
import { useSession } from '../frame/session.js'
import { useAsked } from '../parts/asked.js'
import { CopyCall, literal } from '../parts/copy-call.js'
import { Person as PersonName } from '../parts/id.js'
import { Json } from '../parts/json.js'
import { Pager } from '../parts/pager.js'
import { Trouble } from '../parts/trouble.js'
import { Table } from '../parts/table.js'
import { When, WhenHead } from '../parts/when.js'
import { listQuery } from './list-query.js'

const pageSize = 50

/** People by creation, by how their ids begin, or by a property. */
export function PeopleList(route: Route): JSX.Element {
  const { client } = useSession()
  const { query } = route
  const page = { ...listQuery(query), limit: pageSize }
  const cursor = query.get('cursor') ?? undefined
  const { value, error } = useAsked(
    (signal) => client.entities.list(page, { signal }).page(cursor),
    [query.toString()],
  )
  return (
    <>
      <h1>People</h1>
      <Filters key={query.toString()} query={query} />
      <Trouble error={error} />
      {value !== undefined && <Found items={value.items} isFiltered={query.size > 0} />}
      <Pager route={route} next={value?.next_cursor} />
      <CopyCall
        path={pathWith('/entities', { ...page, cursor })}
        code={`const { items, next_cursor } = await dossier.entities.list(${literal({ ...page, cursor })}).page()`}
      />
    </>
  )
}

interface FoundProps {
  readonly items: readonly ListedEntity[]
  readonly isFiltered: boolean
}

function Found({ items, isFiltered }: FoundProps): JSX.Element {
  if (items.length === 0) return isFiltered ? <p class="empty">Nobody is found so.</p> : <Nobody />
  return (
    <Table
      heads={[
        'Person',
        <WhenHead name="Created" key="1" />,
        <WhenHead name="Changed" key="2" />,
        'Properties',
      ]}
    >
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
    </Table>
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
        <Field label="Id begins with" value={begins} set={setBegins} />
        <button type="submit">Find</button>
      </form>
      <form
        class="row"
        onSubmit={(event) => {
          event.preventDefault()
          go(addressOf(['people'], { property, is }))
        }}
      >
        <Field label="Property" value={property} set={setProperty} required />
        <Field label="is exactly" value={is} set={setIs} required />
        <button type="submit">Find</button>
      </form>
      {query.size > 0 && <a href={addressOf(['people'])}>All, by creation</a>}
    </div>
  )
}
