import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { go, withQuery, type Route } from '../frame/route.js'
import { CopyCall, literal } from '../parts/copy-call.js'
import { Person, SegmentName, Text } from '../parts/id.js'
import { Num } from '../parts/num.js'
import { shownNumber } from '../parts/numbers.js'
import { Table } from '../parts/table.js'
import { Trouble } from '../parts/trouble.js'
import { useFacts, type Row } from './facts-stream.js'
import type { Rates } from './rates.js'
import { Refusals } from './refusals.js'
import { ServiceState } from './service-state.js'

/** Types of facts, in words. */
export const factWords: ReadonlyMap<string, string> = new Map(
  Object.entries({
    EntityCreated: 'person created',
    EntityPropertiesChanged: 'properties changed',
    EventRecorded: 'event recorded',
    SegmentDefined: 'segment defined',
    SegmentRetired: 'segment retired',
    SegmentBuilt: 'segment counted',
    EntityAddedToSegment: 'put in by hand',
    EntityRemovedFromSegment: 'taken out by hand',
    EntityEnteredSegment: 'entered a segment',
    EntityLeftSegment: 'left a segment',
    EntityErased: 'person erased',
    EntityErasureRecorded: 'erasure asked for',
    ErasedFactsRemoved: 'facts removed',
    ErasurePlaceChecked: 'looked whether facts are gone',
    ErasureConfirmed: 'erasure confirmed',
    TimePassed: 'time passed',
  }),
)

/** What is stored just now, what is refused, and how the service is. */
export function Now(route: Route): JSX.Element {
  const type = route.query.get('type') ?? ''
  const person = route.query.get('person') ?? ''
  const [isPaused, setPaused] = useState(false)
  const { rows, rates, state, error } = useFacts({ type, person }, isPaused)
  return (
    <>
      <h1>Now</h1>
      <div class="cols">
        <section>
          <ServiceState />
          <PerSecond rates={rates} isLive={state === 'live'} />
        </section>
        <Refusals />
      </div>
      <h2>What is stored</h2>
      <div class="row">
        <label>
          Show{' '}
          <select
            value={type}
            onChange={({ currentTarget }) => {
              go(withQuery(route, { type: currentTarget.value }))
            }}
          >
            <option value="">everything</option>
            {[...factWords].map(([name, words]) => (
              <option key={name} value={name}>
                {words}
              </option>
            ))}
          </select>
        </label>
        <form
          onSubmit={(event) => {
            event.preventDefault()
            const text = new FormData(event.currentTarget).get('person')
            go(withQuery(route, { person: typeof text === 'string' ? text.trim() : '' }))
          }}
        >
          <input
            name="person"
            aria-label="of one person: the id"
            placeholder="of one person: the id"
            key={person}
            defaultValue={person}
          />
        </form>
        <button
          type="button"
          onClick={() => {
            setPaused(!isPaused)
          }}
        >
          {isPaused ? 'Go on' : 'Pause'}
        </button>
        <span role="status" class={state === 'live' ? 'good' : state === 'broken' ? 'bad' : ''}>
          {error === undefined && stateWords[state]}
        </span>
        <CopyCall
          path={`/facts?${new URLSearchParams({ ...(type !== '' && { types: type }), ...(person !== '' && { entity: person }) }).toString()}`}
          headers={{ Accept: 'text/event-stream' }}
          code={`for await (const fact of dossier.facts(${literal({ after: 'now', ...(type !== '' && { types: [type] }), ...(person !== '' && { entity: person }) })})) console.log(fact)`}
        />
      </div>
      <Trouble error={error} />
      <Stored rows={rows} />
      {state === 'live' && rows.length === 0 && (
        <p>Nothing of this among the newest facts. {person !== '' && <Person id={person} />}</p>
      )}
    </>
  )
}

const stateWords = {
  paused: 'paused: it goes on where it stopped',
  connecting: 'connecting…',
  'catching up': 'catching up…',
  live: 'live',
  broken: 'broken off; it is tried again, and nothing is left out',
} as const

function Stored({ rows }: { rows: readonly Row[] }): JSX.Element {
  return (
    <Table heads={['Position', 'What', 'Whose', 'All of it', 'Request']}>
      {rows.map(({ id, position, type, stream, text, rest, requestId }) => (
        <tr key={id}>
          <td class="num">{shownNumber(position)}</td>
          <td>{factWords.get(type) ?? type}</td>
          <td>
            <Whose stream={stream} />
          </td>
          <td class="data">
            <code>
              <Text text={text} />
            </code>
            {rest > 0 && <small> … {shownNumber(rest)} characters more</small>}
          </td>
          <td>
            <code>{requestId}</code>
          </td>
        </tr>
      ))}
    </Table>
  )
}

/** The name of a stream says whose it is. */
function Whose({ stream }: { stream: string }): JSX.Element {
  if (stream.startsWith('entity-')) return <Person id={stream.slice('entity-'.length)} />
  if (stream.startsWith('members-'))
    return <SegmentName segment={stream.slice('members-'.length)} />
  return <>{stream}</>
}

/** Facts of each second of the last minute in which this page watched, by type. */
function PerSecond({ rates, isLive }: { rates: Rates; isLive: boolean }): JSX.Element {
  const [since, setSince] = useState(Infinity)
  useEffect(() => {
    setSince(isLive ? Date.now() : Infinity)
  }, [rates, isLive])
  const [now, setNow] = useState(Date.now())
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) setNow(Date.now())
    }, 1_000)
    return () => {
      clearInterval(timer)
    }
  }, [])
  const rows = rates.at(now)
  const highest = Math.max(1, ...rows.flatMap(({ counts }) => counts))
  return (
    <Table heads={['Seen here in the last minute', 'Facts', 'Each second']}>
      {rows.map(({ type, counts }) => (
        <tr key={type}>
          <td>{factWords.get(type) ?? type}</td>
          <td>
            <Num value={counts.reduce((sum, count) => sum + count, 0)} />
          </td>
          <td>
            <svg class="bars" viewBox="0 0 120 20" width="120" height="20" aria-hidden="true">
              {counts.map((count, at) => (
                <rect
                  key={at}
                  x={at * 2}
                  y={20 - (20 * count) / highest}
                  width="1.5"
                  height={(20 * count) / highest}
                />
              ))}
            </svg>
          </td>
        </tr>
      ))}
      {rows.length === 0 && (
        <tr>
          <td colSpan={3} class="muted">
            {now - since < 60_000 ? 'not yet a minute' : 'nothing'}
          </td>
        </tr>
      )}
    </Table>
  )
}
