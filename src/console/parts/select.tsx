import type { JSX } from 'preact'

interface Props<V extends string> {
  readonly label: string
  /** The label is read out, and not shown. */
  readonly isLabelHidden?: boolean
  readonly value: V
  readonly options: readonly (readonly [value: V, words: string])[]
  readonly set: (value: V) => void
}

/** One of several values. */
export function Select<V extends string>(props: Props<V>): JSX.Element {
  const { label, isLabelHidden = false, value, options, set } = props
  return (
    <label class="check">
      <span class={isLabelHidden ? 'unseen' : undefined}>{label}</span>
      <select
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
    </label>
  )
}
