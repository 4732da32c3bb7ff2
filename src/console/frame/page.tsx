import type { JSX } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { ZoneContext } from '../parts/when.js'
import type { Zone } from '../parts/times.js'
import { FaultBoundary } from './fault-boundary.js'
import { placeOf } from './places.js'
import { useRoute, type Route, type View } from './route.js'
import { Sidebar } from './sidebar.js'
import { TopBar } from './top-bar.js'

/** The sidebar, the top bar, and one page at a time. */
export function Page(): JSX.Element {
  const [zone, setZone] = useState<Zone>('UTC')
  const route = useRoute()
  const [part = ''] = route.parts
  const place = placeOf(part)
  const main = useRef<HTMLElement>(null)
  // An effect that runs after the paint could take the focus from a field that the user has already entered.
  useLayoutEffect(() => {
    document.title = [...route.parts].reverse().concat('Dossier').join(' · ')
    const box = main.current?.querySelector<HTMLElement>('[autofocus]')
    ;(box ?? main.current)?.focus()
    scrollTo(0, 0)
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
        Skip to the page
      </a>
      <div class="shell">
        <Sidebar part={part} />
        <TopBar zone={zone} setZone={setZone} />
        <main id="main" ref={main} tabIndex={-1}>
          {place === undefined ? (
            <p>There is nothing at this address.</p>
          ) : (
            <FaultBoundary key={part}>
              <Shown view={place.view} route={route} />
            </FaultBoundary>
          )}
        </main>
      </div>
    </ZoneContext.Provider>
  )
}

/** Shows a view. It is a component of its own, so that each page has its own state. */
function Shown({ view: Its, route }: { view: View; route: Route }): JSX.Element {
  return <Its parts={route.parts} query={route.query} />
}
