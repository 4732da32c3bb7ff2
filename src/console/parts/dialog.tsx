import type { ComponentChildren, JSX } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'
import { Button } from './button.js'

interface Props {
  readonly title: string
  readonly isBroad?: boolean
  readonly onClose: () => void
  readonly children: ComponentChildren
}

/** A window over the page. Escape, the cross, or a click beside the window closes it. */
export function Dialog({ title, isBroad = false, onClose, children }: Props): JSX.Element {
  const box = useRef<HTMLDialogElement>(null)
  const id = useId()
  // A layout effect, so that the dialog has the focus before the next key press.
  useLayoutEffect(() => {
    box.current?.showModal()
  }, [])
  return (
    <dialog
      ref={box}
      class={isBroad ? 'broad' : undefined}
      aria-labelledby={id}
      onClose={onClose}
      onPointerDown={({ target }) => {
        if (target === box.current) box.current?.close()
      }}
    >
      <header>
        <h2 id={id}>{title}</h2>
        <Button
          look="quiet"
          icon="close"
          label="Close"
          onClick={() => {
            box.current?.close()
          }}
        />
      </header>
      <div>{children}</div>
    </dialog>
  )
}
