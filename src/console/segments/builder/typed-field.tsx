import type { JSX } from 'preact'

interface Props {
  readonly label: string
  readonly value: string
  readonly set: (value: string) => void
  readonly inputMode?: 'numeric' | 'decimal'
  readonly placeholder?: string
  /** Called when the field gets the focus. */
  readonly onEnter?: () => void
  /** Called when the field loses the focus. */
  readonly onLeave?: () => void
  readonly isFocused?: boolean
}

/** A field for a text or a number inside a row, as wide as its content. */
export function TypedField({
  label,
  value,
  set,
  inputMode,
  placeholder,
  onEnter,
  onLeave,
  isFocused = false,
}: Props): JSX.Element {
  const isNumber = inputMode !== undefined
  const shortest = isNumber ? 3 : 8
  return (
    <input
      class={isNumber ? 'field-in short' : 'field-in'}
      aria-label={label}
      value={value}
      inputMode={inputMode}
      placeholder={placeholder}
      autocomplete="off"
      spellcheck={false}
      size={Math.min(32, Math.max(shortest, value.length + 1))}
      ref={(input) => {
        if (isFocused && input !== null && document.activeElement !== input) input.focus()
      }}
      onInput={({ currentTarget }) => {
        set(currentTarget.value)
      }}
      onFocus={onEnter}
      onBlur={onLeave}
    />
  )
}
