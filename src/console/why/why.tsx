import type { JSX } from 'preact'
import { step, withQuery } from '../../client/requests.js'
import type { Route } from '../frame/route.js'
import { useSession } from '../frame/session.js'
import { literal } from '../parts/calls.js'
import { Chip } from '../parts/chip.js'
import { CopyMenu } from '../parts/copy-menu.js'
import { Person, SegmentName, Text } from '../parts/id.js'
import { PageHead } from '../parts/page-head.js'
import { Skeleton } from '../parts/skeleton.js'
import { Trouble } from '../parts/trouble.js'
import { oftenMs, useAnswer } from '../parts/use-answer.js'
import { useSegments } from '../parts/use-segments.js'
import { When } from '../parts/when.js'
import { isPast, pastIn } from '../person/past.js'
import { Explained } from './explained.js'
import { OtherSegment } from './other-segment.js'
import './why.css'

interface Props {
  readonly id: string
  readonly segment: string
  readonly route: Route
}

/** The page that explains why a person is in a segment or not, and what would bring the person in. */
export function Why({ id, segment, route }: Props): JSX.Element {
  const { client } = useSession()
  const past = pastIn(route.query)
  const { value, error } = useAnswer(
    ['why', id, segment, past],
    (signal) => client.segments.explain(segment, id, past, { signal }),
    isPast(past) ? 0 : oftenMs,
  )
  const { value: all } = useSegments()
  const title = all?.find(({ key }) => key === segment)?.title ?? segment
  const verdict = value === undefined ? 'Why' : value.member ? 'In' : 'Not in'
  return (
    <>
      <PageHead
        path={
          <>
            <Person id={id} /> · <SegmentName segment={segment} />
          </>
        }
        title={
          <>
            {verdict} “<Text text={title} />”
          </>
        }
        mark={
          <>
            {past.as_of !== undefined && (
              <Chip tone="warn" icon="clock">
                as of <When at={past.as_of} plain />
              </Chip>
            )}
            {past.known_at !== undefined && (
              <Chip tone="warn" icon="clock">
                as known on <When at={past.known_at} plain />
              </Chip>
            )}
          </>
        }
      >
        <OtherSegment id={id} segment={segment} past={past} segments={all ?? []} />
        <CopyMenu
          call={{
            path: withQuery(`/entities/${step(id)}/segments/${step(segment)}`, { ...past }),
            code: `const { member, until, why } = await dossier.segments.explain(${literal(segment)}, ${literal(id)}, ${literal(past)})`,
          }}
        />
      </PageHead>
      <Trouble error={error} />
      {value === undefined && error === undefined && <Skeleton />}
      {value !== undefined && <Explained id={id} explained={value} />}
    </>
  )
}
