import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { visible } from '../../parts/visible.js'
import type { KnownName } from './known-name.js'
import { TypedField } from './typed-field.js'

interface Props {
  readonly label: string
  readonly value: string
  readonly known: readonly KnownName[]
  /** The text while no name is chosen, such as "an event …". */
  readonly placeholder: string
  readonly set: (value: string) => void
  /** Additional options that do not choose a name. */
  readonly further?: readonly { readonly words: string; readonly choose: () => void }[]
}

/** A choice of a recorded name. The user can also type another name. */
export function NamePick({
  label,
  value,
  known,
  placeholder,
  set,
  further = [],
}: Props): JSX.Element {
  const [isTyping, setTyping] = useState(false)
  if (isTyping || known.length === 0) {
    return (
      <TypedField
        label={label}
        value={value}
        set={set}
        placeholder={placeholder}
        isFocused={isTyping}
        // While the field has the focus, names that arrive must not replace the field.
        onEnter={() => {
          setTyping(true)
        }}
        onLeave={() => {
          setTyping(false)
        }}
      />
    )
  }
  const isUnknown = value !== '' && !known.some((one) => one.value === value)
  const names = isUnknown ? [{ value, words: value }, ...known] : known
  const choices = [
    {
      words: 'another name …',
      choose: () => {
        setTyping(true)
      },
    },
    ...further,
  ]
  const placeholders = value === '' ? 1 : 0
  return (
    <select
      class="pick"
      aria-label={label}
      value={`=${value}`}
      onChange={({ currentTarget }) => {
        const at = currentTarget.selectedIndex - placeholders
        const name = names[at]
        if (name === undefined) choices[at - names.length]?.choose()
        else set(name.value)
      }}
    >
      {value === '' && <option value="=">{placeholder}</option>}
      {names.map((one) => (
        <option key={one.value} value={`=${one.value}`}>
          {visible(one.words)}
        </option>
      ))}
      {choices.map(({ words }) => (
        <option key={words} value={words}>
          {words}
        </option>
      ))}
    </select>
  )
}
