import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { Properties } from '../../client/dossier.js'
import { OwnTimeField } from '../by-hand/own-time-field.js'
import { ownTime } from '../by-hand/typed-values.js'
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
  /** The own time of the current value. */
  readonly setAt: string | undefined
  readonly close: () => void
}

/** The editor of one property's value. The edited value keeps its type. */
export function PropertyEdit({ id, name, value, setAt, close }: Props): JSX.Element {
  const { client, answers } = useSession()
  const kind = kindOf(value)
  const [text, setText] = useState(textOf(value))
  /** The typed time. Undefined while the field for the time is hidden. */
  const [time, setTime] = useState<string>()
  const own = ownTime(time ?? '')
  const typed = valueOfText(kind, text)
  const set: Properties = 'value' in typed ? { [name]: typed.value } : {}
  const done = () => {
    answers.refresh()
    close()
  }
  const saved = useSent(
    JSON.stringify([id, set, own]),
    (options) => client.entities.update(id, { set, ...own }, options),
    done,
  )
  const removed = useSent(
    JSON.stringify([id, 'remove', name, own]),
    (options) => client.entities.update(id, { unset: [name], ...own }, options),
    done,
  )
  const error = saved.error ?? removed.error
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
      {time !== undefined && (
        <OwnTimeField label="Changed at" value={time} set={setTime} error={error} isAcross />
      )}
      {isOlder(own.occurred_at, setAt) && (
        <small role="status">
          The current value is newer, so it stays. The history gets this change.
        </small>
      )}
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
        {time === undefined && (
          <button
            type="button"
            class="link"
            onClick={() => {
              setTime('')
            }}
          >
            At another time
          </button>
        )}
      </span>
      {error !== undefined && (
        <Outcome sent={saved.error === undefined ? removed : saved} paths={['/occurred_at']} />
      )}
    </form>
  )
}

/**
 * Returns whether a change with this own time would not replace the current value, because the current value is newer.
 */
function isOlder(time: string | undefined, setAt: string | undefined): boolean {
  return time !== undefined && setAt !== undefined && Date.parse(time) < Date.parse(setAt)
}
