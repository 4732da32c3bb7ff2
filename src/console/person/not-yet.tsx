import type { JSX } from 'preact'
import type { Calls } from '../../client/calls.js'
import type { PastQuery } from '../../client/dossier.js'
import { withQuery, type Route } from '../frame/route.js'
import { useSession } from '../frame/session.js'
import { useAnswer } from '../parts/use-answer.js'
import { When } from '../parts/when.js'

interface Props {
  readonly id: string
  readonly route: Route
  readonly past: PastQuery
  /** Whether the page shows events or changes of that time. */
  readonly isHere: boolean
}

/** Says that a person did not exist yet at a time, and when the person was created. */
export function NotYet({ id, route, past, isHere }: Props): JSX.Element {
  const { client } = useSession()
  const { value } = useAnswer(
    ['person', id, {}],
    (signal) => client.entities.get(id, {}, { signal }),
    0,
  )
  const first = useAnswer(['first fact of', id], (signal) => firstTime(client, id, signal), 0).value
  return (
    <p role="alert" class="trouble passing">
      <span>
        {value === undefined ? (
          'This person did not exist at that time.'
        ) : (
          <>
            This person was created only on <When at={value.created_at} plain />
            {past.known_at !== undefined && (
              <>
                , which was recorded on <When at={value.recorded_at} plain />
              </>
            )}
            .
          </>
        )}{' '}
        {isHere
          ? 'The page shows what had happened before.'
          : past.known_at === undefined
            ? 'Nothing that had happened by then is known.'
            : 'Nothing was known of them by then.'}
        {!isHere && first !== undefined && past.known_at === undefined && (
          <>
            {' '}
            <a href={withQuery(route, { as_of: first, cursor: undefined })}>
              Go to their first fact
            </a>
            , on <When at={first} plain />.
          </>
        )}
      </span>
    </p>
  )
}

/** Returns the earliest own time of a person's events, changes and creation. */
async function firstTime(
  client: Calls,
  id: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const query = { by: 'occurred', order: 'asc', limit: 1 } as const
  const [events, changes] = await Promise.all([
    client.entities.events(id, query, { signal }).page(),
    client.entities.history(id, query, { signal }).page(),
  ])
  return [...events.items, ...changes.items].map(({ occurred_at: at }) => at).toSorted()[0]
}
