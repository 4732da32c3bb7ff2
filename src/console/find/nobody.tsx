import type { JSX } from 'preact'
import { useSession } from '../frame/session.js'
import { Act } from '../parts/act.js'
import { useAsked } from '../parts/asked.js'
import { CopyCall } from '../parts/copy-call.js'
import { Person } from '../parts/id.js'
import { useSent } from '../parts/sent.js'
import { Trouble } from '../parts/trouble.js'

/** What to do where nobody is here yet; nothing where somebody is. */
export function Nobody(): JSX.Element | null {
  const { client } = useSession()
  const { value } = useAsked((signal) => client.entities.list({ limit: 1 }, { signal }).page(), [])
  const created = useSent('create ada', async (options) => {
    const entity = await client.entities.create('ada', { properties: { plan: 'free' } }, options)
    // A key belongs to one endpoint, so creating and recording can share it.
    await client.entities.record('ada', { name: 'login' }, options)
    return entity
  })
  if (created.value !== undefined) {
    return (
      <p>
        <Person id="ada" /> is here now, with a first event.
      </p>
    )
  }
  if (value === undefined || value.items.length > 0) return null
  return (
    <section class="empty">
      <h2>Nobody is here yet</h2>
      <p>
        Create “ada” and record a first event about them, or run <code>npx dossier demo</code>,
        which loads the orders of a real shop.
      </p>
      <Act scope="write" isBusy={created.isBusy} onClick={() => void created.send()}>
        Create ada
      </Act>
      <CopyCall
        method="POST"
        path="/entities"
        body={{ external_id: 'ada', properties: { plan: 'free' } }}
        code="await dossier.entities.create('ada', { properties: { plan: 'free' } })"
      />
      <Trouble error={created.error} isSent />
    </section>
  )
}
