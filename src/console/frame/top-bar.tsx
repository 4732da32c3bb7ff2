import type { JSX } from 'preact'
import { Button } from '../parts/button.js'
import { Select } from '../parts/select.js'
import type { Zone } from '../parts/times.js'
import { KeyMenu } from './key-menu.js'
import { SearchBox } from './search-box.js'
import { useSession } from './session.js'

interface Props {
  readonly zone: Zone
  readonly setZone: (zone: Zone) => void
}

/** The search box, the lock of changes, the time zone and the key. */
export function TopBar({ zone, setZone }: Props): JSX.Element {
  return (
    <header class="top">
      <SearchBox />
      <div class="signed">
        <Lock />
        <Select
          label="Time zone"
          isLabelHidden
          value={zone}
          options={[
            ['UTC', 'UTC'],
            ['this browser', 'Local time'],
          ]}
          set={setZone}
        />
        <KeyMenu />
      </div>
    </header>
  )
}

/** The button that allows changes in this tab, or locks them again. It is hidden from a key that can only read. */
function Lock(): JSX.Element | null {
  const { key, isUnlocked, unlock } = useSession()
  const mayChange = key.scopes.some((scope) => scope !== 'read' && scope !== 'track')
  if (!mayChange) return null
  return (
    <span class={isUnlocked ? 'lock open' : 'lock'}>
      <Button
        look="quiet"
        icon={isUnlocked ? 'unlock' : 'lock'}
        isPressed={isUnlocked}
        onClick={unlock}
      >
        {isUnlocked ? 'Changes allowed' : 'Unlock changes'}
      </Button>
    </span>
  )
}
