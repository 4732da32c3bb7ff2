import type { JSX } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { Icon } from '../parts/icon.js'
import { addressOf, go, useRoute } from './route.js'

/** The search for a person, which every page shows. `/` and ⌘K move the focus here. */
export function SearchBox(): JSX.Element {
  const box = useRef<HTMLInputElement>(null)
  const { parts, query } = useRoute()
  const searched = parts[0] === 'people' && parts.length === 1 ? (query.get('q') ?? '') : ''
  // A layout effect, so that the shortcut works as soon as the page is visible.
  useLayoutEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (!isShortcut(event)) return
      event.preventDefault()
      box.current?.focus()
      box.current?.select()
    }
    addEventListener('keydown', pressed)
    return () => {
      removeEventListener('keydown', pressed)
    }
  }, [])
  return (
    <form
      role="search"
      class="search"
      onSubmit={(event) => {
        event.preventDefault()
        const text = box.current?.value.trim() ?? ''
        if (text !== '') go(addressOf(['people'], { q: text }))
      }}
    >
      <Icon name="search" />
      <input
        ref={box}
        key={searched}
        type="search"
        aria-label="Search people"
        placeholder="Search people, ids, emails, properties …"
        defaultValue={searched}
        autocomplete="off"
      />
      <kbd>/</kbd>
    </form>
  )
}

function isShortcut({ key, target, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  if (key.toLowerCase() === 'k') return (metaKey || ctrlKey) && !altKey
  const isTyping = target instanceof Element && target.closest('input, textarea, select') !== null
  return key === '/' && !isTyping && !ctrlKey && !metaKey && !altKey
}
