import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { Calls } from '../../client/calls.js'
import { addressOf, go } from '../frame/route.js'
import { useSession } from '../frame/session.js'
import { Act } from '../parts/act.js'
import { Button } from '../parts/button.js'
import { literal } from '../parts/calls.js'
import { CopyMenu } from '../parts/copy-menu.js'
import { Field } from '../parts/field.js'
import { Text } from '../parts/id.js'
import { counted } from '../parts/numbers.js'
import { useSent } from '../parts/sent.js'
import { Trouble } from '../parts/trouble.js'
import { factsOf } from './facts-of.js'

interface Props {
  readonly id: string
  /** The data that the erasure would remove. */
  readonly would: Awaited<ReturnType<Calls['erasures']['dryRun']>>
  readonly cancel: () => void
}

/** Asks before a person is erased. The question repeats the id and says what would be removed. */
export function EraseQuestion({ id, would, cancel }: Props): JSX.Element {
  const { client } = useSession()
  const [reference, setReference] = useState('')
  const [suppress, setSuppress] = useState(true)
  const asked = { suppress, ...(reference === '' ? {} : { reference }) }
  const sent = useSent(
    literal([id, asked]),
    (options) => client.erasures.begin(id, asked, options),
    () => {
      go(addressOf(['erasures']))
    },
  )
  return (
    <>
      <p>
        This removes {counted(factsOf(would.facts), 'fact')} about{' '}
        <b>
          <Text text={id} />
        </b>{' '}
        and takes them out of {counted(would.segments.length, 'segment')}
        {would.segments.length > 0 && `: ${would.segments.join(', ')}`}. Nobody can undo it.
      </p>
      <div class="erase-fields">
        <Field label="Reference, without personal data" value={reference} set={setReference} />
        <label class="check">
          <input
            type="checkbox"
            checked={suppress}
            onChange={({ currentTarget }) => {
              setSuppress(currentTarget.checked)
            }}
          />
          Block the id: otherwise the next event from an app creates this person again
        </label>
      </div>
      <Trouble error={sent.error} isSent />
      <div class="row buttons">
        <Act
          scope="erase"
          look="danger"
          icon="trash"
          isBusy={sent.isBusy}
          onClick={() => void sent.send()}
        >
          Erase <Text text={id} />
        </Act>
        <Button onClick={cancel}>Cancel</Button>
        <span class="push">
          <CopyMenu
            of="request"
            call={{
              method: 'POST',
              path: '/erasures',
              body: { external_id: id, ...asked },
              code: `await dossier.erasures.begin(${literal(id)}, ${literal(asked)})`,
            }}
          />
        </span>
      </div>
    </>
  )
}
