import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { PastQuery } from '../../client/dossier.js'
import { step, withQuery } from '../../client/requests.js'
import { addressOf, go } from '../frame/route.js'
import { useSession } from '../frame/session.js'
import { oftenMs, useAsked } from '../parts/asked.js'
import { CopyCall, literal } from '../parts/copy-call.js'
import { Trouble } from '../parts/trouble.js'
import { SegmentName } from '../parts/id.js'
import { Table } from '../parts/table.js'
import { When, WhenHead } from '../parts/when.js'
import { isPast } from './past.js'

interface Props {
  readonly id: string
  readonly past: PastQuery
}

/** What segments a person is in, and the way to why they are, or are not. */
export function PersonSegments({ id, past }: Props): JSX.Element {
  const { client } = useSession()
  const { value, error } = useAsked(
    (signal) => client.entities.segments(id, past, { signal }),
    [id, past.as_of, past.known_at],
    isPast(past) ? 0 : oftenMs,
  )
  const whyAddress = (segment: string) => addressOf(['people', id, 'why', segment], { ...past })
  return (
    <section>
      <h2>Segments</h2>
      <Trouble error={error} />
      {value?.items.length === 0 && <p>In none.</p>}
      {value !== undefined && value.items.length > 0 && (
        <Table
          heads={['Segment', <WhenHead name="Since" key="1" />, <WhenHead name="Until" key="2" />]}
        >
          {value.items.map(({ key, since, until }) => (
            <tr key={key}>
              <td>
                <SegmentName segment={key} />{' '}
                <a href={whyAddress(key)} aria-label={`Why in ${key}`}>
                  Why
                </a>
              </td>
              <td>
                <When at={since} />
              </td>
              <td>{until === null ? 'as long as nothing new is recorded' : <When at={until} />}</td>
            </tr>
          ))}
        </Table>
      )}
      {value?.segments_building?.map((key) => (
        <p key={key}>{key}: the members are still being counted.</p>
      ))}
      <WhyPicker to={whyAddress} />
      <CopyCall
        path={withQuery(`/entities/${step(id)}/segments`, { ...past })}
        code={`const { items } = await dossier.entities.segments(${literal(id)}, ${literal(past)})`}
      />
    </section>
  )
}

/** Any segment, to ask why somebody is in it, or is not. */
export function WhyPicker({ to }: { to: (segment: string) => string }): JSX.Element {
  const { client } = useSession()
  const { value } = useAsked((signal) => client.segments.list({}, { signal }).all(), [], 0)
  const [picked, setPicked] = useState('')
  return (
    <form
      class="row"
      onSubmit={(event) => {
        event.preventDefault()
        go(to(picked))
      }}
    >
      <label>
        Why, or why not, in{' '}
        <select
          required
          value={picked}
          onChange={({ currentTarget }) => {
            setPicked(currentTarget.value)
          }}
        >
          <option value="">a segment …</option>
          {value?.map(({ key }) => (
            <option key={key}>{key}</option>
          ))}
        </select>
      </label>
      <button type="submit">Ask</button>
    </form>
  )
}
