import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { Properties } from '../../client/dossier.js'
import { OwnTimeField } from '../by-hand/own-time-field.js'
import { ownTime } from '../by-hand/typed-values.js'
import { useSession } from '../frame/session.js'
import { Act } from '../parts/act.js'
import { Dialog } from '../parts/dialog.js'
import { faultsAt } from '../parts/faults.js'
import { Faults, Field } from '../parts/field.js'
import { Outcome } from '../parts/outcome.js'
import { Select } from '../parts/select.js'
import { useSent } from '../parts/sent.js'
import { valueKinds, valueOfText, type ValueKind } from './typed-value.js'
import { ValueField } from './value-field.js'

interface Props {
  readonly id: string
  readonly onClose: () => void
}

/** A form that sets a property that the person does not have yet. */
export function NewProperty({ id, onClose }: Props): JSX.Element {
  const { client, answers } = useSession()
  const [name, setName] = useState('')
  const [kind, setKind] = useState<ValueKind>('text')
  const [text, setText] = useState('')
  const [time, setTime] = useState('')
  const typed = valueOfText(kind, text)
  const set: Properties = 'value' in typed ? { [name]: typed.value } : {}
  const change = { set, ...ownTime(time) }
  const sent = useSent(
    JSON.stringify([id, change]),
    (options) => client.entities.update(id, change, options),
    () => {
      answers.refresh()
      onClose()
    },
  )
  return (
    <Dialog title="Set a property" onClose={onClose}>
      <form
        class="stacked"
        onSubmit={(event) => {
          event.preventDefault()
          if ('value' in typed) void sent.send()
        }}
      >
        <Field
          label="Name"
          value={name}
          set={setName}
          required
          faults={faultsAt(sent.error, '/set')}
        />
        <Select
          label="Type"
          value={kind}
          options={valueKinds.map((one) => [one, one] as const)}
          set={setKind}
        />
        <label class="field across">
          Value
          <ValueField
            label="Value"
            kind={kind}
            text={text}
            set={setText}
            isBad={'wrong' in typed && text !== ''}
          />
          {'wrong' in typed && text !== '' && <Faults faults={[typed.wrong]} />}
        </label>
        <OwnTimeField label="Set at" value={time} set={setTime} error={sent.error} />
        <Act scope="write" isBusy={sent.isBusy} disabled={'wrong' in typed}>
          Set
        </Act>
        {sent.error !== undefined && <Outcome sent={sent} paths={['/set', '/occurred_at']} />}
      </form>
    </Dialog>
  )
}
