import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { cut, visible, visibleLines } from './visible.js'
import { counted } from './numbers.js'

const shownAtOnce = 4_000

/** A value as JSON. A long value is cut, and a button shows the rest. */
export function Json({ value, inLine }: { value: unknown; inLine?: boolean }): JSX.Element {
  const [isWhole, setWhole] = useState(false)
  const text = JSON.stringify(value, undefined, inLine === true ? undefined : 2)
  const { shown, rest } = cut(text, isWhole ? Infinity : inLine === true ? 300 : shownAtOnce)
  return (
    <>
      {inLine === true ? (
        <code>
          <bdi>{visible(shown)}</bdi>
        </code>
      ) : (
        <pre>
          <bdi>{visibleLines(shown)}</bdi>
        </pre>
      )}
      {rest > 0 && (
        <button
          type="button"
          class="link"
          onClick={() => {
            setWhole(true)
          }}
        >
          … {counted(rest, 'character')} more
        </button>
      )}
    </>
  )
}
