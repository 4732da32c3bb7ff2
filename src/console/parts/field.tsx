import type { JSX } from 'preact'
import { useId } from 'preact/hooks'
import { Text } from './id.js'

interface Props {
  readonly label: string
  readonly value: string
  readonly set: (value: string) => void
  /** The faults of the value. */
  readonly faults?: readonly string[]
  readonly lines?: number
  readonly placeholder?: string
  readonly required?: boolean
  /** The `id` of a list of suggested values. */
  readonly list?: string
  /** Whether the field is as wide as its form. */
  readonly isAcross?: boolean
}

/** A labelled input, with its faults below. */
export function Field({
  label,
  value,
  set,
  faults = [],
  lines,
  placeholder,
  required = false,
  list,
  isAcross = false,
}: Props): JSX.Element {
  const id = useId()
  const isBad = faults.length > 0
  const described = isBad ? id : undefined
  return (
    <label class={isAcross ? 'field across' : 'field'}>
      {label}
      {lines === undefined ? (
        <input
          value={value}
          list={list}
          required={required}
          placeholder={placeholder}
          aria-invalid={isBad}
          aria-describedby={described}
          onInput={({ currentTarget }) => {
            set(currentTarget.value)
          }}
        />
      ) : (
        <textarea
          rows={lines}
          value={value}
          placeholder={placeholder}
          aria-invalid={isBad}
          aria-describedby={described}
          onInput={({ currentTarget }) => {
            set(currentTarget.value)
          }}
        />
      )}
      {isBad && <Faults id={id} faults={faults} />}
    </label>
  )
}

/** Faults, one per line. */
export function Faults({ id, faults }: { id?: string; faults: readonly string[] }): JSX.Element {
  return (
    <small id={id} class="bad">
      {faults.map((fault) => (
        <div key={fault}>
          <Text text={fault} />
        </div>
      ))}
    </small>
  )
}
