import type { JSX } from 'preact'
import type { ValueKind } from './typed-value.js'

interface Props {
  readonly label: string
  readonly kind: ValueKind
  readonly text: string
  readonly set: (text: string) => void
  readonly isBad: boolean
}

/** The input field for a value of a kind. */
export function ValueField({ label, kind, text, set, isBad }: Props): JSX.Element {
  if (kind === 'true or false') {
    return (
      <select
        aria-label={label}
        value={text === 'true' ? 'true' : 'false'}
        onChange={({ currentTarget }) => {
          set(currentTarget.value)
        }}
      >
        <option>true</option>
        <option>false</option>
      </select>
    )
  }
  if (kind === 'JSON') {
    return (
      <textarea
        aria-label={label}
        aria-invalid={isBad}
        rows={4}
        value={text}
        onInput={({ currentTarget }) => {
          set(currentTarget.value)
        }}
      />
    )
  }
  return (
    <input
      aria-label={label}
      aria-invalid={isBad}
      inputMode={kind === 'number' ? 'decimal' : 'text'}
      value={text}
      onInput={({ currentTarget }) => {
        set(currentTarget.value)
      }}
    />
  )
}
