import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { Field } from '../parts/field.js'
import { addressOf, go } from '../frame/route.js'
import { useSession } from '../frame/session.js'
import { Act } from '../parts/act.js'
import { CopyCall, literal } from '../parts/copy-call.js'
import { counted } from '../parts/numbers.js'
import { useSent } from '../parts/sent.js'
import { Trouble } from '../parts/trouble.js'
import { factsOf } from './erasures.js'

/** Erases a person for good, behind a second question that says what would go. */
export function EraseForm({ id }: { id: string }): JSX.Element {
  const { client } = useSession()
  const [reference, setReference] = useState('')
  const [suppress, setSuppress] = useState(true)
  const asked = { suppress, ...(reference === '' ? {} : { reference }) }
  const tried = useSent(id, () => client.erasures.dryRun(id))
  const sent = useSent(
    literal([id, asked]),
    (options) => client.erasures.begin(id, asked, options),
    () => {
      go(addressOf(['erasures']))
    },
  )
  return (
    <section class="card">
      <h3>Erase for good</h3>
      {tried.value === undefined ? (
        <Act scope="erase" isBusy={tried.isBusy} onClick={() => void tried.send()}>
          Erase …
        </Act>
      ) : (
        <>
          <p>
            This would remove {counted(factsOf(tried.value.facts), 'fact')}, and take this person
            out of {counted(tried.value.segments.length, 'segment')}
            {tried.value.segments.length > 0 && `: ${tried.value.segments.join(', ')}`}. Nothing
            brings them back.
          </p>
          <Field label="Reference: no personal data" value={reference} set={setReference} />
          <label class="check">
            <input
              type="checkbox"
              checked={suppress}
              onChange={({ currentTarget }) => {
                setSuppress(currentTarget.checked)
              }}
            />
            Nobody may use this id again; else what an app still sends creates it anew
          </label>
          <p>
            <Act scope="erase" isBusy={sent.isBusy} onClick={() => void sent.send()}>
              Yes, erase this person
            </Act>
          </p>
        </>
      )}
      <Trouble error={tried.error ?? sent.error} isSent />
      <CopyCall
        method="POST"
        path="/erasures"
        body={{ external_id: id, ...asked }}
        code={`await dossier.erasures.begin(${literal(id)}, ${literal(asked)})`}
      />
    </section>
  )
}
