import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { Properties } from '../../client/dossier.js'
import { useSession } from '../frame/session.js'
import { Act } from '../parts/act.js'
import { Button } from '../parts/button.js'
import { Faults } from '../parts/field.js'
import { Outcome } from '../parts/outcome.js'
import { useSent } from '../parts/sent.js'
import { kindOf, textOf, valueOfText } from './typed-value.js'
import { ValueField } from './value-field.js'

interface Props {
  readonly id: string
  readonly name: string
  readonly value: unknown
  readonly close: () => void
}

/** The value of one property while it is being edited. The type of the value stays. */
export function PropertyEdit({ id, name, value, close }: Props): JSX.Element {
  const { client, answers } = useSession()
  const kind = kindOf(value)
  const [text, setText] = useState(textOf(value))
  const typed = valueOfText(kind, text)
  const set: Properties = 'value' in typed ? { [name]: typed.value } : {}
  const done = () => {
    answers.refresh()
    close()
  }
  const saved = useSent(
    JSON.stringify([id, set]),
    (options) => client.entities.update(id, { set }, options),
    done,
  )
  const removed = useSent(
    JSON.stringify([id, 'remove', name]),
    (options) => client.entities.update(id, { unset: [name] }, options),
    done,
  )
  return (
    <form
      class="edit"
      onSubmit={(event) => {
        event.preventDefault()
        if ('value' in typed) void saved.send()
      }}
      onKeyDown={({ key }) => {
        if (key === 'Escape') close()
      }}
    >
      <ValueField
        label={`Value of ${name}`}
        kind={kind}
        text={text}
        set={setText}
        isBad={'wrong' in typed}
      />
      {'wrong' in typed && <Faults faults={[typed.wrong]} />}
      <span class="row">
        <Act scope="write" isBusy={saved.isBusy} disabled={'wrong' in typed}>
          Save
        </Act>
        <Button onClick={close}>Cancel</Button>
        <button
          type="button"
          class="link bad"
          disabled={removed.isBusy}
          onClick={() => void removed.send()}
        >
          Remove
        </button>
      </span>
      {(saved.error ?? removed.error) !== undefined && (
        <Outcome sent={saved.error === undefined ? removed : saved} />
      )}
    </form>
  )
}
