import type { JSX } from 'preact'
import { useId, useState } from 'preact/hooks'
import { Button } from '../../parts/button.js'
import { Field } from '../../parts/field.js'
import { Text } from '../../parts/id.js'
import { visible } from '../../parts/visible.js'

interface Props {
  readonly label: string
  readonly names: readonly string[]
  /** The known names. The user can also type a name that is not known yet. */
  readonly known: readonly string[]
  readonly set: (names: readonly string[]) => void
  readonly faults: readonly string[]
}

/** A list of names. Each name is typed or chosen from the known names. */
export function NameSet({ label, names, known, set, faults }: Props): JSX.Element {
  const list = useId()
  const [typed, setTyped] = useState('')
  const add = () => {
    if (typed !== '' && !names.includes(typed)) set([...names, typed])
    setTyped('')
  }
  return (
    <div
      class="name-set"
      onFocusOut={({ currentTarget, relatedTarget }) => {
        // Adds a typed name that the user has not added, so that it is not lost.
        if (!(relatedTarget instanceof Node && currentTarget.contains(relatedTarget))) add()
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || !(event.target instanceof HTMLInputElement)) return
        event.preventDefault()
        add()
      }}
    >
      <div class="row">
        <Field label={label} value={typed} set={setTyped} list={list} faults={faults} />
        <Button icon="plus" onClick={add} disabled={typed === ''}>
          Add
        </Button>
      </div>
      <datalist id={list}>
        {known.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      {names.length === 0 && <small class="muted">Add at least one name.</small>}
      <ul class="row">
        {names.map((name) => (
          <li key={name} class="chip accent">
            <Text text={name} />
            <button
              type="button"
              class="link"
              aria-label={`Remove ${visible(name)}`}
              onClick={() => {
                set(names.filter((other) => other !== name))
              }}
            >
              ×
            </button>
          </li>
        ))}
      </ul>
    </div>
  )
}
