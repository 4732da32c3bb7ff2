import type { JSX } from 'preact'
import type { PastQuery } from '../../client/dossier.js'
import { useSession } from '../frame/session.js'
import { useAnswer } from '../parts/use-answer.js'
import { When } from '../parts/when.js'

/** Says that a person did not exist yet at a time, and since when they do. */
export function NotYet({ id, past }: { id: string; past: PastQuery }): JSX.Element {
  const { client } = useSession()
  const { value } = useAnswer(
    ['person', id, {}],
    (signal) => client.entities.get(id, {}, { signal }),
    0,
  )
  return (
    <p role="alert" class="trouble passing">
      <span>
        {value === undefined ? (
          'This person did not exist at that time.'
        ) : (
          <>
            This person was created only on <When at={value.created_at} plain />.
          </>
        )}{' '}
        {past.known_at === undefined
          ? 'Events that happened before and were recorded later are below.'
          : 'Nothing was known of them before.'}
      </span>
    </p>
  )
}
