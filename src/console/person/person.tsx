import type { JSX } from 'preact'
import type { Profile } from '../../client/dossier.js'
import type { Route } from '../frame/route.js'
import { useSession } from '../frame/session.js'
import { Trouble } from '../parts/trouble.js'
import { oftenMs, seldomMs, useAnswer, type Shown } from '../parts/use-answer.js'
import { Away } from './away.js'
import { NotYet } from './not-yet.js'
import { isPast, pastIn } from './past.js'
import { PersonActions } from './person-actions.js'
import { PersonHead } from './person-head.js'
import { PersonSegments } from './person-segments.js'
import { Properties } from './properties.js'
import { TimeAxis } from './time-axis.js'
import { Timeline } from './timeline.js'
import './person.css'

/** The most facts of one person that the service replays for a time in the past. */
const replayedAtMost = 100_000

interface Props {
  readonly id: string
  readonly route: Route
}

/** All that is known of a person, now or at a time in the past. */
export function Person({ id, route }: Props): JSX.Element {
  const { client } = useSession()
  const past = pastIn(route.query)
  const profile = useAnswer(
    ['person', id, past],
    (signal) => client.entities.get(id, past, { signal }),
    isPast(past) ? 0 : oftenMs,
  )
  const { status } = profile.error ?? {}
  if (status === 410 || (status === 404 && !isPast(past)))
    return <Away id={id} onCreated={profile.reload} />
  return <Known id={id} route={route} profile={profile} />
}

function Known({ id, route, profile }: Props & { profile: Shown<Profile> }): JSX.Element {
  const { client } = useSession()
  const past = pastIn(route.query)
  const facts = useAnswer(
    ['facts of', id],
    async (signal) => {
      const [events, changes] = await Promise.all([
        client.entities.events(id, { limit: 1_000 }, { signal }).page(),
        client.entities.history(id, { limit: 1_000 }, { signal }).page(),
      ])
      return {
        events: events.items,
        changes: changes.items,
        areChangesCut: changes.next_cursor !== null,
      }
    },
    seldomMs,
  )
  const segments = useAnswer(
    ['segments of', id, past],
    (signal) => client.entities.segments(id, past, { signal }),
    isPast(past) ? 0 : oftenMs,
  )
  const { value, error } = profile
  const isNotYet = error?.status === 404
  const tooMany =
    error?.code === 'too_many_facts' || (value !== undefined && value.event_count > replayedAtMost)
  const { events = [], changes = [], areChangesCut = false } = facts.value ?? {}
  return (
    <>
      <PersonHead id={id} profile={value} past={past}>
        <PersonActions id={id} past={past} reload={profile.reload} />
      </PersonHead>
      {!isNotYet && <Trouble error={error ?? facts.error} />}
      <TimeAxis route={route} facts={facts.value} tooMany={tooMany} />
      {(isNotYet || isBeforeCreation(value)) && <NotYet id={id} past={past} />}
      <div class={isNotYet ? 'grid' : 'grid two'}>
        <Timeline
          id={id}
          route={route}
          past={past}
          eventCount={value?.event_count}
          facts={{ events, changes }}
          memberships={segments.value?.items ?? []}
        />
        {!isNotYet && (
          <div class="stack">
            <PersonSegments id={id} past={past} segments={segments} />
            <Properties
              id={id}
              profile={value}
              changes={changes}
              areChangesCut={areChangesCut}
              past={past}
            />
          </div>
        )}
      </div>
    </>
  )
}

/**
 * Returns whether a profile shows a time before the creation of the person. An event or a change can have an earlier
 * time than the creation. Both times have one form, so texts are compared.
 */
function isBeforeCreation(profile: Profile | undefined): boolean {
  return profile?.as_of != null && profile.created_at > profile.as_of
}
