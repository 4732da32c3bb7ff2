import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { EventListQuery, ListedEvent, Page, PastQuery } from '../../client/dossier.js'
import { step, withQuery as pathWith } from '../../client/requests.js'
import { Field } from '../parts/field.js'
import { go, withQuery, type Route } from '../frame/route.js'
import { useSession } from '../frame/session.js'
import { oftenMs, useAsked } from '../parts/asked.js'
import { CopyCall, literal } from '../parts/copy-call.js'
import { Text } from '../parts/id.js'
import { Json } from '../parts/json.js'
import { Pager } from '../parts/pager.js'
import { Trouble } from '../parts/trouble.js'
import { Table } from '../parts/table.js'
import { When, WhenHead } from '../parts/when.js'
import { namesOf } from './marks.js'
import { isPast, justAfter, knownPage } from './past.js'

interface Props {
  readonly id: string
  readonly route: Route
  readonly past: PastQuery
  /** Some of the events, for their names. */
  readonly facts: readonly ListedEvent[]
}

const pageSize = 50

function timelineQuery({ query }: Route, { as_of: asOf }: PastQuery): EventListQuery {
  const [name, by] = [query.get('name') ?? '', query.get('by')]
  const until = query.get('until') ?? (asOf === undefined ? undefined : justAfter(asOf))
  return {
    ...(name === '' ? {} : { name }),
    ...(by === 'recorded' ? { by } : {}),
    ...(until === undefined ? {} : { until }),
    limit: pageSize,
  }
}

/** Events, newest first, by their own time or as they were recorded. */
export function Timeline({ id, route, past, facts }: Props): JSX.Element {
  const { client } = useSession()
  const query = timelineQuery(route, past)
  const cursor = route.query.get('cursor') ?? undefined
  const { value, error } = useAsked(
    (signal) => knownPage(client.entities.events(id, query, { signal }), past, cursor),
    [id, JSON.stringify(query), cursor, past.known_at],
    isPast(past) ? 0 : oftenMs,
  )
  return (
    <section>
      <h2>Timeline</h2>
      <Shown route={route} names={namesOf(facts)} />
      <Trouble error={error} />
      {value && <Events page={value} fact={route.query.get('fact')} />}
      <Pager route={route} next={value?.next_cursor} />
      <CopyCall
        path={pathWith(`/entities/${step(id)}/events`, { ...query, cursor })}
        code={`const { items, next_cursor } = await dossier.entities.events(${literal(id)}, ${literal({ ...query, cursor })}).page()`}
      />
    </section>
  )
}

function Events({ page, fact }: { page: Page<ListedEvent>; fact: string | null }): JSX.Element {
  const { items: events, next_cursor: next } = page
  if (events.length === 0)
    return (
      <p>
        {next === null ? 'No events here.' : 'These events were not known yet: see the next page.'}
      </p>
    )
  return (
    <Table
      heads={[
        <WhenHead name="Happened" key="0" />,
        <WhenHead name="Recorded" key="1" />,
        'Event',
        'Properties',
      ]}
    >
      {events.map(({ id, name, properties, occurred_at: occurred, timestamp }) => (
        <tr key={id} class={id === fact ? 'picked' : undefined} title={id}>
          <td>
            <When at={occurred} />
          </td>
          <td>
            {timestamp === occurred ? <span class="muted">then</span> : <When at={timestamp} />}
          </td>
          <td>
            <Text text={name} />
          </td>
          <td>
            <Json value={properties} inLine />
          </td>
        </tr>
      ))}
    </Table>
  )
}

function Shown({ route, names }: { route: Route; names: readonly string[] }): JSX.Element {
  const { query } = route
  const asked = query.get('name') ?? ''
  const [name, setName] = useState(asked)
  const isRecorded = query.get('by') === 'recorded'
  const anew = { cursor: undefined, fact: undefined, until: undefined }
  return (
    <form
      class="row"
      onSubmit={(event) => {
        event.preventDefault()
        go(withQuery(route, { ...anew, name }))
      }}
    >
      <label>
        By{' '}
        <select
          value={isRecorded ? 'recorded' : ''}
          onChange={({ currentTarget }) => {
            go(withQuery(route, { ...anew, by: currentTarget.value }))
          }}
        >
          <option value="">when it happened</option>
          <option value="recorded">when it was recorded</option>
        </select>
      </label>
      <Field label="Event" value={name} set={setName} list="names" />
      <datalist id="names">
        {names.map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
      <button type="submit">Show</button>
      {(asked !== '' || query.has('until')) && (
        <a href={withQuery(route, { ...anew, name: undefined })}>All events</a>
      )}
    </form>
  )
}
