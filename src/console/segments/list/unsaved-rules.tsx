import type { JSX } from 'preact'
import { addressOf } from '../../frame/route.js'
import { Chip } from '../../parts/chip.js'
import { Text } from '../../parts/id.js'
import { storedDraft } from '../draft/stored-drafts.js'

/** A list of new segments that were left unsaved in this tab. */
export function UnsavedRules({ names }: { names: readonly string[] }): JSX.Element | null {
  if (names.length === 0) return null
  return (
    <ul class="unsaved">
      {names.map((name) => {
        const title = storedDraft(name)?.title ?? ''
        return (
          <li key={name}>
            <Chip tone="warn">not saved</Chip>{' '}
            <a
              href={addressOf(
                ['segments', '+'],
                Object.fromEntries(new URLSearchParams(name.slice(1))),
              )}
            >
              <Text text={title === '' ? 'A new segment' : title} />
            </a>
          </li>
        )
      })}
    </ul>
  )
}
