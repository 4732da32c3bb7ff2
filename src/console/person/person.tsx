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
import { noChanges, useChanges } from './use-changes.js'
import { useMoves } from './use-moves.js'
import './person.css'

/** The maximum number of facts of one person that the service replays for a past time. */
const replayedAtMost = 100_000

interface Props {
  readonly id: string
  readonly route: Route
}

/** The page of a person, with everything that is known now or was true at a past time. */
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
  const events = useAnswer(
    ['events of', id],
    async (signal) => (await client.entities.events(id, { limit: 1_000 }, { signal }).page()).items,
    seldomMs,
  )
  const [allChanges, changes] = [useChanges(id, {}), useChanges(id, past)]
  const segments = useAnswer(
    ['segments of', id, past],
    (signal) => client.entities.segments(id, past, { signal }),
    isPast(past) ? 0 : oftenMs,
  )
  const { value, error } = profile
  const moves = useMoves(id, past, segments.value)
  const isNotYet = error?.status === 404
  const tooMany =
    error?.code === 'too_many_facts' || (value !== undefined && value.event_count > replayedAtMost)
  const facts =
    events.value === undefined || allChanges.value === undefined
      ? undefined
      : { events: events.value, changes: allChanges.value.items }
  const shown = changes.value ?? noChanges
  return (
    <>
      <PersonHead id={id} profile={value} past={past}>
        <PersonActions id={id} past={past} reload={profile.reload} />
      </PersonHead>
      {!isNotYet && <Trouble error={error ?? events.error ?? allChanges.error} />}
      <TimeAxis route={route} facts={facts} tooMany={tooMany} />
      {(isNotYet || isBeforeCreation(value)) && (
        <NotYet id={id} route={route} isHere={!isNotYet} past={past} />
      )}
      {!isNotYet && (
        <div class="grid two">
          <Timeline
            id={id}
            route={route}
            past={past}
            profile={value}
            events={facts?.events ?? []}
            changes={shown}
            moves={moves}
          />
          <div class="stack">
            <PersonSegments id={id} past={past} segments={segments} />
            <Properties id={id} profile={value} changes={shown} past={past} />
          </div>
        </div>
      )}
    </>
  )
}

/**
 * Returns whether a profile shows a time before the creation of the person. Such a profile exists, because an event or
 * a change can have an earlier time than the creation. Compares the times as texts, because both have the same format.
 */
function isBeforeCreation(profile: Profile | undefined): boolean {
  return profile?.as_of != null && profile.created_at > profile.as_of
}
