import type { JSX } from 'preact'

interface Props<V extends string> {
  readonly label: string
  /** Whether only screen readers get the label. */
  readonly isLabelHidden?: boolean
  readonly value: V
  readonly options: readonly (readonly [value: V, words: string])[]
  readonly set: (value: V) => void
}

/** A choice of one of several values. */
export function Select<V extends string>(props: Props<V>): JSX.Element {
  const { label, isLabelHidden = false, value, options, set } = props
  const select = (
    <select
      aria-label={isLabelHidden ? label : undefined}
      value={value}
      onChange={({ currentTarget }) => {
        const chosen = options[currentTarget.selectedIndex]
        if (chosen !== undefined) set(chosen[0])
      }}
    >
      {options.map(([one, words]) => (
        <option key={one} value={one}>
          {words}
        </option>
      ))}
    </select>
  )
  if (isLabelHidden) return select
  return (
    <label class="check">
      {label}
      {select}
    </label>
  )
}
