import type { JSX } from 'preact'
import { useId, useState } from 'preact/hooks'
import { Button } from '../../parts/button.js'
import { Field } from '../../parts/field.js'
import { Text } from '../../parts/id.js'
import { visible } from '../../parts/visible.js'

interface Props {
  readonly label: string
  readonly names: readonly string[]
  /** The names that exist. Another name can be typed: it may come later. */
  readonly known: readonly string[]
  readonly set: (names: readonly string[]) => void
  readonly faults: readonly string[]
}

/** Several names, each of which is typed or chosen from a list. */
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
        // A name that was typed and not added must not be lost.
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
