import type { JSX } from 'preact'
import { useLayoutEffect, useState } from 'preact/hooks'

/** The view that is open: the part of the address after `#`, which never has a key in it. */
export interface Route {
  readonly parts: readonly string[]
  readonly query: URLSearchParams
}

export type View = (route: Route) => JSX.Element

/** Values that are undefined or empty are left out. */
export type Query = Readonly<Record<string, string | undefined>>

/** The address of a view, fit for `href`: every part and value is escaped. */
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

/** Goes to an address in place of the present one, so that the browser's "back" skips the present one. */
export function goInstead(address: string): void {
  const oldURL = location.href
  history.replaceState(undefined, '', address)
  follow(oldURL)
}

/**
 * Shows the new address at once. The browser's own event may come only after the next key, which would then act on the
 * previous page.
 */
function follow(oldURL: string): void {
  dispatchEvent(new HashChangeEvent('hashchange', { oldURL, newURL: location.href }))
}

/** The same view with other values in its address; `undefined` takes one out. */
export function withQuery({ parts, query }: Route, changes: Query): string {
  return addressOf(parts, { ...Object.fromEntries(query), ...changes })
}

let leaveGuard: ((address: string) => boolean) | undefined

/** Sets what is asked before the page follows another address. It returns whether the page must stay. */
export function setLeaveGuard(guard: typeof leaveGuard): void {
  leaveGuard = guard
}

export function useRoute(): Route {
  const [hash, setHash] = useState(location.hash)
  // An effect after the paint would miss an address that changes before it.
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
