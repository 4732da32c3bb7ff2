import type { ComponentChildren, JSX } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Icon, type IconName } from './icon.js'

interface Props {
  /** The text of the button. Undefined for a button with only an icon, which needs a `label`. */
  readonly name: ComponentChildren
  readonly label?: string
  readonly icon?: IconName
  readonly look?: 'plain' | 'primary' | 'quiet'
  readonly children: ComponentChildren
}

/** A button that opens a list of items (`MenuItem`). The arrow keys move the focus, and Escape closes the list. */
export function Menu({ name, label, icon, look = 'plain', children }: Props): JSX.Element {
  const [isOpen, setOpen] = useState(false)
  const box = useRef<HTMLDivElement>(null)
  const list = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    if (isOpen && list.current !== null) keepInWindow(list.current)
  }, [isOpen])
  useClosedFromOutside(isOpen, box, () => {
    setOpen(false)
  })
  return (
    <div
      class="menu"
      ref={box}
      onKeyDown={(event) => {
        if (!isOpen) return
        if (event.key === 'Escape') {
          setOpen(false)
          box.current?.querySelector('button')?.focus()
        }
        if (moveFocus(box.current, event.key)) event.preventDefault()
      }}
    >
      <button
        type="button"
        class={`button ${look}`}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-label={label}
        onClick={() => {
          setOpen(!isOpen)
        }}
      >
        {icon !== undefined && <Icon name={icon} />}
        {name}
        {name !== undefined && <Icon name="down" />}
      </button>
      {isOpen && (
        <div
          role="menu"
          ref={list}
          onClick={(event) => {
            const isItem = (event.target as Element).closest('[role=menuitem]') !== null
            if (isItem) setOpen(false)
          }}
        >
          {children}
        </div>
      )}
    </div>
  )
}

interface ItemProps {
  readonly icon?: IconName
  readonly children: ComponentChildren
  readonly onClick: () => void
}

export function MenuItem({ icon, children, onClick }: ItemProps): JSX.Element {
  return (
    <button type="button" role="menuitem" onClick={onClick}>
      {icon !== undefined && <Icon name={icon} />}
      {children}
    </button>
  )
}

/** The distance between a menu and the edge of the window, in pixels. */
const edge = 8

/** Moves a list to the right if it would extend beyond the left edge of the window. */
function keepInWindow(list: HTMLElement): void {
  const hidden = edge - list.getBoundingClientRect().left
  if (hidden > 0) list.style.right = `${String(-hidden)}px`
}

function useClosedFromOutside(
  isOpen: boolean,
  box: { readonly current: HTMLElement | null },
  close: () => void,
): void {
  useLayoutEffect(() => {
    if (!isOpen) return
    const look = (event: Event) => {
      if (event.target instanceof Node && box.current?.contains(event.target) === false) close()
    }
    addEventListener('pointerdown', look)
    addEventListener('focusin', look)
    return () => {
      removeEventListener('pointerdown', look)
      removeEventListener('focusin', look)
    }
  }, [isOpen])
}

/** Moves the focus inside the menu if the key is an arrow key. Returns whether it did. */
function moveFocus(box: HTMLElement | null, key: string): boolean {
  const step = { ArrowDown: 1, ArrowUp: -1 }[key]
  if (step === undefined || box === null) return false
  const items = [...box.querySelectorAll<HTMLElement>('[role=menuitem]')]
  const at = items.findIndex((item) => item === document.activeElement)
  items.at((at + step + items.length) % items.length)?.focus()
  return true
}
