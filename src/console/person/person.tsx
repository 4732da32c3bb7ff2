import type { JSX } from 'preact'
import type { Profile } from '../../client/dossier.js'
import { ByHand } from '../by-hand/by-hand.js'
import { CreatePerson } from '../by-hand/create-person.js'
import type { Route } from '../frame/route.js'
import { useSession } from '../frame/session.js'
import { oftenMs, useAsked } from '../parts/asked.js'
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

/** How often what is much is asked for, in milliseconds. */
const seldomMs = 15_000

/** All that is known of a person: now, or at a time in the past. */
export function Person({ id, route }: { id: string; route: Route }): JSX.Element {
  const { client } = useSession()
  const past = pastIn(route.query)
  const everyMs = isPast(past) ? 0 : oftenMs
  const time = [past.as_of, past.known_at]
  const profile = useAsked(
    (signal) => client.entities.get(id, past, { signal }),
    [id, ...time],
    everyMs,
  )
  const facts = useAsked(
    async (signal) => {
      const [events, changes] = await Promise.all([
        client.entities.events(id, { limit: 1_000 }, { signal }).page(),
        client.entities.history(id, { limit: 1_000 }, { signal }).page(),
      ])
      return { events: events.items, changes: changes.items }
    },
    [id],
    seldomMs,
  )
  const { code } = profile.error ?? {}
  const isAway = code === 'entity_not_found' && !isPast(past)
  const tooMany = (profile.value?.event_count ?? 0) > foldedAtMost || code === 'too_many_facts'
  const written = () => {
    profile.reload()
    facts.reload()
  }
  return (
    <>
      <h1>
        <Text text={id} />
      </h1>
      {isAway ? (
        <CreatePerson id={id} onDone={written} />
      ) : code === 'entity_not_found' ? (
        <p role="alert" class="trouble">
          Nobody of this name was here at that time, as far as was known then.
        </p>
      ) : (
        <Trouble error={profile.error} />
      )}
      {!isAway && <FactLine id={id} route={route} facts={facts.value} tooMany={tooMany} />}
      <div class="cols">
        <Known profile={profile.value} />
        {!isAway && <PersonSegments id={id} past={past} everyMs={everyMs} />}
      </div>
      <CopyCall
        path={withQuery(`/entities/${step(id)}`, { ...past })}
        code={`const person = await dossier.entities.get(${literal(id)}${isPast(past) ? `, ${literal(past)}` : ''})`}
      />
      {!isAway && <Timeline id={id} route={route} past={past} facts={facts.value?.events ?? []} />}
      {!isAway && facts.value !== undefined && (
        <History id={id} entries={facts.value.changes} past={past} />
      )}
      {!isAway && !isPast(past) && <ByHand id={id} onDone={written} />}
    </>
  )
}

function Known({ profile }: { profile: Profile | undefined }): JSX.Element {
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
    </section>
  )
}
