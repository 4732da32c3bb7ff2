import type { JSX } from 'preact'
import { useLayoutEffect, useState } from 'preact/hooks'

/** The open view: the part of the address after `#`. This part never contains a key. */
export interface Route {
  readonly parts: readonly string[]
  readonly query: URLSearchParams
}

export type View = (route: Route) => JSX.Element

/** The values of a query. Undefined and empty values are omitted from the address. */
export type Query = Readonly<Record<string, string | undefined>>

/** Returns the address of a view for `href`. Every part and value is escaped. */
export function addressOf(parts: readonly string[], query: Query = {}): string {
  const words = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== '') words.append(name, value)
  }
  const path = `#/${parts.map(encodeURIComponent).join('/')}`
  return words.size === 0 ? path : `${path}?${words.toString()}`
}

export function routeOf(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#?\/?/, '').split('?', 2)
  return {
    parts: path === '' ? [] : path.split('/').map(decoded),
    query: new URLSearchParams(query),
  }
}

export function go(address: string): void {
  const oldURL = location.href
  location.hash = address
  if (location.href !== oldURL) follow(oldURL)
}

/** Goes to an address and replaces the current address, so that the browser's "back" skips the current address. */
export function goInstead(address: string): void {
  const oldURL = location.href
  history.replaceState(undefined, '', address)
  follow(oldURL)
}

/**
 * Shows the new address at once. The browser's own event may come only after the next key press, which would then act
 * on the previous page.
 */
function follow(oldURL: string): void {
  dispatchEvent(new HashChangeEvent('hashchange', { oldURL, newURL: location.href }))
}

/** Returns the address of the same view with changed query values. `undefined` removes a value. */
export function withQuery({ parts, query }: Route, changes: Query): string {
  return addressOf(parts, { ...Object.fromEntries(query), ...changes })
}

let leaveGuard: ((address: string) => boolean) | undefined

/**
 * Sets the function that the page calls before it follows another address. The function returns whether the page must
 * stay.
 */
export function setLeaveGuard(guard: typeof leaveGuard): void {
  leaveGuard = guard
}

export function useRoute(): Route {
  const [hash, setHash] = useState(location.hash)
  // An effect that runs after the paint would miss an address that changes before the paint.
  useLayoutEffect(() => {
    const changed = ({ oldURL }: HashChangeEvent) => {
      if (leaveGuard?.(location.hash) === true) history.pushState(undefined, '', oldURL)
      else setHash(location.hash)
    }
    addEventListener('hashchange', changed)
    return () => {
      removeEventListener('hashchange', changed)
    }
  }, [])
  return routeOf(hash)
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
