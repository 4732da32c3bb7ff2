import type { JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Calls } from '../../client/calls.js'
import type { Key } from '../../client/dossier.js'
import { Erasures } from '../erasures/erasures.js'
import { Find } from '../find/find.js'
import { Now } from '../now/now.js'
import { ZoneContext } from '../parts/when.js'
import type { Zone } from '../parts/times.js'
import { People } from '../people/people.js'
import { Segments } from '../segments/segments.js'
import { clientOf, Door, refusalOf } from './door.js'
import { FaultBoundary } from './fault-boundary.js'
import { addressOf, useRoute, type Route, type View } from './route.js'
import { SessionContext, useSession, type Session } from './session.js'
import { dropKey, idleMs, storedKey } from './stored-key.js'

/** By the first part of an address. */
const views: ReadonlyMap<string, View> = new Map([
  ['', Find],
  ['now', Now],
  ['people', People],
  ['segments', Segments],
  ['erasures', Erasures],
])

const places: readonly (readonly [name: string, title: string])[] = [
  ['', 'Find'],
  ['now', 'Now'],
  ['people', 'People'],
  ['segments', 'Segments'],
  ['erasures', 'Erased'],
]

interface SignedIn {
  readonly client: Calls
  readonly key: Key
}

/** The page: the door, and behind it one view at a time. */
export function App(): JSX.Element {
  const [entered, setEntered] = useState<SignedIn>()
  const [why, setWhy] = useState('')
  const [isUnlocked, setUnlocked] = useState(false)
  const [isReady, setReady] = useState(storedKey() === undefined)
  const leave = (reason: string) => {
    dropKey()
    setUnlocked(false)
    setWhy(reason)
    setEntered(undefined)
  }
  useEffect(() => {
    const key = storedKey()
    if (key === undefined) return
    const client = clientOf(key)
    client.service
      .key()
      .then((its) => {
        setEntered({ client, key: its })
      })
      .catch((error: unknown) => {
        leave(refusalOf(error))
      })
      .finally(() => {
        setReady(true)
      })
  }, [])
  useIdle(entered !== undefined, () => {
    leave('Nobody touched the page for 30 minutes: the key was forgotten.')
  })
  if (!isReady) return <main class="door">…</main>
  if (entered === undefined) {
    return (
      <Door
        key={why}
        why={why}
        enter={(client, key) => {
          setEntered({ client, key })
        }}
      />
    )
  }
  const session: Session = {
    ...entered,
    isUnlocked,
    unlock: () => {
      setUnlocked(!isUnlocked)
    },
    leave,
  }
  return (
    <SessionContext.Provider value={session}>
      <Page />
    </SessionContext.Provider>
  )
}

function Page(): JSX.Element {
  const [zone, setZone] = useState<Zone>('UTC')
  const route = useRoute()
  const [place = ''] = route.parts
  const view = views.get(place)
  const main = useRef<HTMLElement>(null)
  useEffect(() => {
    document.title = [...route.parts].reverse().concat('Dossier').join(' · ')
    const box = main.current?.querySelector<HTMLElement>('[autofocus]')
    ;(box ?? main.current)?.focus()
  }, [route.parts.join('/')])
  return (
    <ZoneContext.Provider value={zone}>
      <a
        class="skip"
        href="#main"
        onClick={(event) => {
          event.preventDefault()
          main.current?.focus()
        }}
      >
        Skip to what is shown
      </a>
      <header>
        <nav aria-label="Places">
          {places.map(([name, title]) => (
            <a
              key={name}
              href={addressOf(name === '' ? [] : [name])}
              aria-current={name === place ? 'page' : undefined}
            >
              {title}
            </a>
          ))}
        </nav>
        <Signed zone={zone} setZone={setZone} />
      </header>
      <main id="main" ref={main} tabIndex={-1}>
        {view === undefined ? (
          <p>There is nothing at this address.</p>
        ) : (
          <FaultBoundary key={place}>
            <Shown view={view} route={route} />
          </FaultBoundary>
        )}
      </main>
    </ZoneContext.Provider>
  )
}

/** A component of its own, so that each view has its own state. */
function Shown({ view: Its, route }: { view: View; route: Route }): JSX.Element {
  return <Its parts={route.parts} query={route.query} />
}

function Signed({ zone, setZone }: { zone: Zone; setZone: (zone: Zone) => void }): JSX.Element {
  const { key, isUnlocked, unlock, leave } = useSession()
  const mayChange = key.scopes.some((scope) => scope !== 'read' && scope !== 'track')
  return (
    <div class={isUnlocked ? 'signed open' : 'signed'}>
      {mayChange && (
        <span>
          {isUnlocked ? 'Changes are unlocked in this tab.' : 'This key can change things.'}{' '}
          <button type="button" onClick={unlock}>
            {isUnlocked ? 'Lock' : 'Unlock'}
          </button>
        </span>
      )}
      <label>
        Time zone{' '}
        <select
          value={zone}
          onChange={({ currentTarget }) => {
            setZone(currentTarget.value === 'UTC' ? 'UTC' : 'this browser')
          }}
        >
          <option>UTC</option>
          <option>this browser</option>
        </select>
      </label>
      <span title={key.scopes.join(', ')}>
        Key <bdi>{key.name}</bdi>
      </span>
      <button
        type="button"
        onClick={() => {
          leave('')
        }}
      >
        Sign out
      </button>
    </div>
  )
}

/** Calls `onIdle` when nobody has touched the page for a while. */
function useIdle(isSignedIn: boolean, onIdle: () => void): void {
  useEffect(() => {
    if (!isSignedIn) return
    let touchedAt = Date.now()
    const touched = () => {
      touchedAt = Date.now()
    }
    const signs = ['pointerdown', 'keydown', 'wheel'] as const
    for (const sign of signs) addEventListener(sign, touched, { passive: true })
    // A timer of half an hour would not run while the machine sleeps.
    const timer = setInterval(() => {
      if (Date.now() - touchedAt >= idleMs) onIdle()
    }, 5_000)
    return () => {
      clearInterval(timer)
      for (const sign of signs) removeEventListener(sign, touched)
    }
  }, [isSignedIn])
}
