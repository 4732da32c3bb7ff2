import type { JSX } from 'preact'
import { addressOf } from '../frame/route.js'
import { useScope, useSession } from '../frame/session.js'
import { Act } from '../parts/act.js'
import { literal } from '../parts/calls.js'
import { CopyMenu } from '../parts/copy-menu.js'
import { Empty } from '../parts/empty.js'
import { Text } from '../parts/id.js'
import { Outcome } from '../parts/outcome.js'
import { useSent } from '../parts/sent.js'

/** Says that nobody has the id, and offers to create a person with it. */
export function CreatePerson({ id, onDone }: { id: string; onDone: () => void }): JSX.Element {
  const { client } = useSession()
  const mayWrite = useScope('write')
  const sent = useSent(id, (options) => client.entities.create(id, {}, options), onDone)
  if (sent.error?.code === 'entity_erased') return <Erased />
  return (
    <Empty
      title={
        <>
          Nobody is called <Text text={id} />
        </>
      }
      icon="people"
    >
      <p>An id must match in every character: check capitals and spaces.</p>
      {mayWrite && (
        <span class="row">
          <Act scope="write" isBusy={sent.isBusy} onClick={() => void sent.send()}>
            Create
          </Act>
          <CopyMenu
            of="request"
            call={{
              method: 'POST',
              path: '/entities',
              body: { external_id: id },
              code: `await dossier.entities.create(${literal(id)})`,
            }}
          />
        </span>
      )}
      <Outcome sent={sent} />
    </Empty>
  )
}

/** Says that the id was erased. Only a refused write reveals this, because reads contain nothing about an erased id. */
function Erased(): JSX.Element {
  return (
    <Empty title="This person was erased" icon="trash">
      <p>All facts about them are gone for good, and the id cannot be used again.</p>
      <a href={addressOf(['erasures'])}>Look at the receipts of erasures</a>
    </Empty>
  )
}
