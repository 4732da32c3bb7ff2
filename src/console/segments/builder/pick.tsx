import type { JSX } from 'preact'

interface Props<T extends string> {
  readonly label: string
  readonly value: T
  readonly options: readonly (readonly [value: T, words: string])[]
  readonly set: (value: T) => void
}

/** A choice between a few words inside a row. */
export function Pick<T extends string>({ label, value, options, set }: Props<T>): JSX.Element {
  return (
    <select
      class="pick"
      aria-label={label}
      value={value}
      onChange={({ currentTarget }) => {
        const [chosen] = options[currentTarget.selectedIndex] ?? []
        if (chosen !== undefined) set(chosen)
      }}
    >
      {options.map(([one, words]) => (
        <option key={one} value={one}>
          {words}
        </option>
      ))}
    </select>
  )
}
