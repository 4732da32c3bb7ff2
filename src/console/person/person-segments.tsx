import type { JSX } from 'preact'
import type { EntitySegments, PastQuery } from '../../client/dossier.js'
import { addressOf } from '../frame/route.js'
import { useSession } from '../frame/session.js'
import { Card } from '../parts/card.js'
import { Skeleton } from '../parts/skeleton.js'
import { Trouble } from '../parts/trouble.js'
import { seldomMs, useAnswer, type Shown } from '../parts/use-answer.js'
import { useSegments } from '../parts/use-segments.js'
import { When } from '../parts/when.js'
import { isPast } from './past.js'

export { WhyPicker } from './why-picker.js'

interface Props {
  readonly id: string
  readonly past: PastQuery
  readonly segments: Shown<EntitySegments>
}

/** The segments of a person, and links that explain how the person would enter other segments. */
export function PersonSegments({ id, past, segments: { value, error } }: Props): JSX.Element {
  const keys = useSegments().value?.map((one) => one.key) ?? []
  const others = keys.filter((key) => value?.items.every((item) => item.key !== key) ?? false)
  return (
    <Card title="Segments" note={value === undefined ? undefined : String(value.items.length)}>
      <Trouble error={error} />
      {value === undefined && error === undefined && <Skeleton rows={2} />}
      {value?.items.length === 0 && (
        <p class="sub">In no segment{isPast(past) ? ' at that time' : ''}.</p>
      )}
      <ul class="memberships">
        {value?.items.map(({ key, since, until }) => (
          <li key={key}>
            <a
              class="chip accent"
              href={addressOf(['people', id, 'why', key], { ...past })}
              aria-label={`Why in ${key}`}
            >
              {key}
            </a>{' '}
            <span class="sub">
              since <When at={since} plain />
              {until !== null && (
                <>
                  , until <When at={until} plain />
                </>
              )}
            </span>
          </li>
        ))}
        {others.slice(0, othersAtMost).map((key) => (
          <NotIn key={key} id={id} segment={key} past={past} />
        ))}
      </ul>
      {value?.segments_building?.map((key) => (
        <p key={key} class="sub">
          {key}: the members are still being counted.
        </p>
      ))}
    </Card>
  )
}

/**
 * The maximum number of other segments with their own links. The menu "Why in a segment?" lists all further segments.
 */
const othersAtMost = 6

interface NotInProps {
  readonly id: string
  readonly segment: string
  readonly past: PastQuery
}

function NotIn({ id, segment, past }: NotInProps): JSX.Element {
  const { client } = useSession()
  const { value } = useAnswer(
    ['why', id, segment, past],
    (signal) => client.segments.explain(segment, id, past, { signal }),
    isPast(past) ? 0 : seldomMs,
  )
  return (
    <li>
      <a
        class="chip"
        href={addressOf(['people', id, 'why', segment], { ...past })}
        aria-label={`Why not in ${segment}`}
      >
        not in {segment}
      </a>{' '}
      {value?.member === false && value.until !== null && (
        <span class="sub">
          would enter on <When at={value.until} plain /> if nothing else happens
        </span>
      )}
    </li>
  )
}
