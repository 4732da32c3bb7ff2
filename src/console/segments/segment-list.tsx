import type { JSX } from 'preact'
import type { Segment } from '../../client/dossier.js'
import { addressOf } from '../frame/route.js'
import { useSession } from '../frame/session.js'
import { useAsked } from '../parts/asked.js'
import { CopyCall } from '../parts/copy-call.js'
import { SegmentName, Text } from '../parts/id.js'
import { Num } from '../parts/num.js'
import { Table } from '../parts/table.js'
import { Trouble } from '../parts/trouble.js'
import { templates } from './rule-templates.js'

/** All segments, with how many are in each. */
export function SegmentList(): JSX.Element {
  const { client } = useSession()
  const { value, error } = useAsked((signal) => client.segments.list({}, { signal }).all(), [])
  return (
    <>
      <h1>Segments</h1>
      <Trouble error={error} />
      <p class="row">
        <a href={addressOf(['segments', '+'])}>New segment</a>
        <CopyCall path="/segments" code="await dossier.segments.list().all()" />
      </p>
      {value?.length === 0 && <NoSegment />}
      <Table heads={['Segment', 'Title', 'Members', 'State', 'Version']}>
        {value?.map((segment) => (
          <tr key={segment.key}>
            <td>
              <SegmentName segment={segment.key} />
            </td>
            <td>
              <Text text={segment.title} />
            </td>
            <td>
              <Num value={segment.members} />
            </td>
            <td>
              <State segment={segment} />
            </td>
            <td>
              <Num value={segment.version} />
            </td>
          </tr>
        ))}
      </Table>
    </>
  )
}

/** How far a segment is, in words. */
export function State({ segment }: { segment: Segment }): JSX.Element {
  const { status, progress, serving_version: serving, kind } = segment
  if (status === 'diverged') {
    return <span class="bad">differs from what was published: ask who runs the service</span>
  }
  if (status === 'live') {
    return <span class="good">{kind === 'hand' ? 'live, by hand' : 'live'}</span>
  }
  return (
    <span>
      its members are being counted: {Math.floor((progress ?? 0) * 100)} %
      {serving !== null && `; until then version ${String(serving)} is shown`}
    </span>
  )
}

function NoSegment(): JSX.Element {
  return (
    <section class="empty">
      <h2>No segment yet</h2>
      <p>Begin with one of these, look at who would be in it, and change it as you like:</p>
      <ul>
        {templates.slice(0, 3).map(({ title, key }) => (
          <li key={key}>
            <a href={addressOf(['segments', '+'], { like: key })}>{title}</a>
          </li>
        ))}
      </ul>
    </section>
  )
}
