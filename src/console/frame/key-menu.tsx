import type { JSX } from 'preact'
import { Menu, MenuItem } from '../parts/menu.js'
import { visible } from '../parts/visible.js'
import { useSession, type Scope } from './session.js'

const scopeWords = new Map<Scope, string>([
  ['read', 'reads everything'],
  ['write', 'changes people and records events'],
  ['segments', 'defines segments'],
  ['erase', 'erases people'],
  ['track', 'tracks from web pages'],
])

/** A menu with the name of the key, its scopes, and the sign-out. */
export function KeyMenu(): JSX.Element {
  const { key, leave } = useSession()
  const isReader = key.scopes.length === 1 && key.scopes[0] === 'read'
  return (
    <Menu
      icon="key"
      name={
        <span class="key-name">
          <span class="unseen">Key </span>
          <bdi>{visible(key.name)}</bdi>
          {isReader && ' · read only'}
        </span>
      }
      look="quiet"
    >
      <div class="scopes">
        <b>
          Key <bdi>{visible(key.name)}</bdi>
        </b>
        {key.scopes.map((scope) => (
          <span key={scope}>
            <code>{scope}</code> {scopeWords.get(scope)}
          </span>
        ))}
      </div>
      <MenuItem
        icon="sign-out"
        onClick={() => {
          leave('')
        }}
      >
        Sign out
      </MenuItem>
    </Menu>
  )
}
