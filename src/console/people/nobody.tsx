import type { JSX } from 'preact'
import { withQuery, type Route } from '../frame/route.js'
import { useScope, useSession } from '../frame/session.js'
import { Act } from '../parts/act.js'
import { Empty } from '../parts/empty.js'
import { Person } from '../parts/id.js'
import { useSent } from '../parts/sent.js'
import { Trouble } from '../parts/trouble.js'
import { useAnswer } from '../parts/use-answer.js'

/** Replaces an empty list of people. Says whether nobody exists, or only nobody with an event. */
export function Nobody({ route }: { route: Route }): JSX.Element | null {
  const { client } = useSession()
  const { value } = useAnswer(['anybody'], (signal) =>
    client.entities.list({ limit: 1 }, { signal }).page(),
  )
  if (value === undefined) return null
  if (value.items.length === 0) return <FirstPerson />
  return (
    <Empty title="Nobody has an event yet" icon="people">
      <a href={withQuery(route, { order: 'created' })}>Show people in order of creation</a>
    </Empty>
  )
}

function FirstPerson(): JSX.Element {
  const { client, answers } = useSession()
  const mayWrite = useScope('write')
  const created = useSent(
    'create ada',
    async (options) => {
      const entity = await client.entities.create('ada', { properties: { plan: 'free' } }, options)
      // The same idempotency key is valid for both calls, because each endpoint has its own keys.
      await client.entities.record('ada', { name: 'login' }, options)
      return entity
    },
    () => {
      answers.refresh()
    },
  )
  if (created.value !== undefined) {
    return (
      <p>
        <Person id="ada" /> is here now, with a first event.
      </p>
    )
  }
  return (
    <Empty title="Nobody is here yet" icon="people">
      <p>
        Load the orders of a real shop with <code>npx dossier demo</code>
        {mayWrite && ', or create a person named ada with a first event'}.
      </p>
      {mayWrite && (
        <Act scope="write" isBusy={created.isBusy} onClick={() => void created.send()}>
          Create ada
        </Act>
      )}
      <Trouble error={created.error} isSent />
    </Empty>
  )
}
