import type { RefObject } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'

interface MovedFocus {
  readonly box: RefObject<HTMLDivElement | null>
  /** Moves the focus into a row as soon as the row is shown. */
  readonly focusRow: (at: number) => void
  /** Moves the focus to the first button that adds a row. */
  readonly focusAdd: () => void
}

/** Keeps the focus in a group when one of its rows is added or removed. */
export function useMovedFocus(): MovedFocus {
  const box = useRef<HTMLDivElement>(null)
  const next = useRef<number | 'add' | undefined>(undefined)
  useLayoutEffect(() => {
    const target = next.current
    next.current = undefined
    if (target === undefined || box.current === null) return
    const children = [...box.current.children]
    const rows = children.filter(({ className }) => /^rule$|^rows /.test(className))
    const place =
      target === 'add' ? children.find(({ className }) => className === 'add-row') : rows[target]
    place?.querySelector<HTMLElement>('select, input, button')?.focus()
  })
  return {
    box,
    focusRow: (at) => {
      next.current = at
    },
    focusAdd: () => {
      next.current = 'add'
    },
  }
}
