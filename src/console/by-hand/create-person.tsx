import type { JSX } from 'preact'
import { useSession } from '../frame/session.js'
import { Act } from '../parts/act.js'
import { CopyCall, literal } from '../parts/copy-call.js'
import { Text } from '../parts/id.js'
import { useSent } from '../parts/sent.js'
import { Outcome } from '../parts/outcome.js'

/** Somebody who is not here: creates them. */
export function CreatePerson({ id, onDone }: { id: string; onDone: () => void }): JSX.Element {
  const { client } = useSession()
  const sent = useSent(id, (options) => client.entities.create(id, {}, options), onDone)
  return (
    <section class="empty">
      <p>
        Nobody is called <Text text={id} />. An id is compared character by character: look at
        capitals and spaces, or create this person.
      </p>
      <Act scope="write" isBusy={sent.isBusy} onClick={() => void sent.send()}>
        Create
      </Act>
      <Outcome sent={sent} />
      <CopyCall
        method="POST"
        path="/entities"
        body={{ external_id: id }}
        code={`await dossier.entities.create(${literal(id)})`}
      />
    </section>
  )
}
