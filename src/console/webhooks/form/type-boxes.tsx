import type { JSX } from 'preact'
import { typeWords, type DeliveredType } from '../type-words.js'

interface Props {
  readonly types: readonly DeliveredType[]
  readonly set: (types: readonly DeliveredType[]) => void
}

const allTypes = Object.keys(typeWords) as DeliveredType[]

/** Checkboxes for the types of facts that are sent. If no box is ticked, all types are sent. */
export function TypeBoxes({ types, set }: Props): JSX.Element {
  return (
    <fieldset class="types">
      <legend>Types of facts (none ticked: all of them)</legend>
      {allTypes.map((type) => (
        <label key={type} class="check" title={type}>
          <input
            type="checkbox"
            checked={types.includes(type)}
            onChange={({ currentTarget }) => {
              const others = types.filter((other) => other !== type)
              set(currentTarget.checked ? [...others, type] : others)
            }}
          />
          {typeWords[type]}
        </label>
      ))}
    </fieldset>
  )
}
