import type { JSX } from 'preact'
import type { PastQuery, Profile } from '../../client/dossier.js'
import { ByHand } from '../by-hand/by-hand.js'
import { CreatePerson } from '../by-hand/create-person.js'
import type { Route } from '../frame/route.js'
import { useSession } from '../frame/session.js'
import { oftenMs, useAsked, type Asked } from '../parts/asked.js'
import { CopyCall, literal } from '../parts/copy-call.js'
import { Text } from '../parts/id.js'
import { Json } from '../parts/json.js'
import { Num } from '../parts/num.js'
import { Trouble } from '../parts/trouble.js'
import { When } from '../parts/when.js'
import { step, withQuery } from '../../client/requests.js'
import { FactLine } from './fact-line.js'
import { History } from './history.js'
import { isPast, pastIn } from './past.js'
import { PersonSegments } from './person-segments.js'
import { Timeline } from './timeline.js'

/** Facts of one person that the service folds for a time in the past at most. */
const foldedAtMost = 100_000

interface Props {
  readonly id: string
  readonly route: Route
}

/** All that is known of a person: now, or at a time in the past; or why there is nobody. */
export function Person({ id, route }: Props): JSX.Element {
  const { client } = useSession()
  const past = pastIn(route.query)
  const profile = useAsked(
    (signal) => client.entities.get(id, past, { signal }),
    [id, past.as_of, past.known_at],
    isPast(past) ? 0 : oftenMs,
  )
  const { status } = profile.error ?? {}
  const isAway = (status === 404 && !isPast(past)) || status === 410
  return (
    <>
      <h1>
        <Text text={id} />
      </h1>
      {isAway ? (
        <Away id={id} profile={profile} />
      ) : (
        <>
          {status !== 404 && <Trouble error={profile.error} />}
          <Facts id={id} route={route} profile={profile} />
        </>
      )}
    </>
  )
}

/** Nobody is here, or nobody is any more. */
function Away({ id, profile }: { id: string; profile: Asked<Profile> }): JSX.Element {
  if (profile.error?.status === 404) return <CreatePerson id={id} onDone={profile.reload} />
  return <p class="empty">This person was erased: what was known is gone for good.</p>
}

/** How often what is much is asked for, in milliseconds. */
const seldomMs = 15_000

function Facts({ id, route, profile }: Props & { profile: Asked<Profile> }): JSX.Element {
  const { client } = useSession()
  const facts = useAsked(
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
    [id],
    seldomMs,
  )
  const past = pastIn(route.query)
  const { value, error } = profile
  const tooMany =
    error?.code === 'too_many_facts' || (value !== undefined && value.event_count > foldedAtMost)
  return (
    <>
      <FactLine route={route} facts={facts.value} tooMany={tooMany} />
      {error?.status === 400 ? undefined : error?.status === 404 ? (
        <NotYet id={id} past={past} />
      ) : (
        <>
          <div class="cols">
            <Known id={id} profile={value} past={past} />
            <PersonSegments id={id} past={past} />
          </div>
          <Timeline id={id} route={route} past={past} facts={facts.value?.events ?? []} />
          <Trouble error={facts.error} />
          {facts.value && (
            <History
              id={id}
              entries={facts.value.changes}
              isCut={facts.value.areChangesCut}
              past={past}
            />
          )}
        </>
      )}
      {!isPast(past) && (
        <ByHand
          id={id}
          onDone={() => {
            profile.reload()
            facts.reload()
          }}
        />
      )}
    </>
  )
}

/** Nobody was here at that time: since when somebody is. */
function NotYet({ id, past }: { id: string; past: PastQuery }): JSX.Element {
  const { client } = useSession()
  const { value } = useAsked((signal) => client.entities.get(id, {}, { signal }), [id], 0)
  return (
    <p role="alert" class="empty">
      {value === undefined ? (
        'Nobody was here at that time'
      ) : (
        <>
          Created only on <When at={value.created_at} plain />
        </>
      )}
      {past.known_at !== undefined && '; before that nothing was known'}.
    </p>
  )
}

interface KnownProps {
  readonly id: string
  readonly profile: Profile | undefined
  readonly past: PastQuery
}

function Known({ id, profile, past }: KnownProps): JSX.Element {
  return (
    <section>
      <h2>Profile</h2>
      <dl class="facts">
        <dt>Created</dt>
        <dd>{profile && <When at={profile.created_at} />}</dd>
        <dt>Changed</dt>
        <dd>{profile && <When at={profile.updated_at} />}</dd>
        <dt>Events</dt>
        <dd>{profile && <Num value={profile.event_count} />}</dd>
        <dt>Last event</dt>
        <dd>{profile && <When at={profile.last_event_at} />}</dd>
        <dt>Entity id</dt>
        <dd>{profile?.entity_id}</dd>
      </dl>
      {profile && <Json value={profile.properties} />}
      <CopyCall
        path={withQuery(`/entities/${step(id)}`, { ...past })}
        code={`const person = await dossier.entities.get(${literal(id)}, ${literal(past)})`}
      />
    </section>
  )
}
