import { useEffect, useState } from 'preact/hooks'
import { go } from '../../frame/route.js'

export interface LeaveGuard {
  /** The address that somebody wants to go to; undefined: nobody leaves. */
  readonly target: string | undefined
  readonly leave: () => void
  readonly stay: () => void
}

/**
 * Asks before somebody leaves the addresses that begin with `home` while something is unsaved. Closing the tab
 * asks through the browser.
 */
export function useLeaveGuard(isUnsaved: boolean, home: string): LeaveGuard {
  const [target, setTarget] = useState<string>()
  const [isLeaving, setLeaving] = useState(false)
  const isGuarded = isUnsaved && !isLeaving
  useEffect(() => {
    if (!isGuarded) return
    const asked = (event: BeforeUnloadEvent) => {
      event.preventDefault()
    }
    const moved = (event: HashChangeEvent) => {
      const { hash } = new URL(event.newURL)
      if (isBelow(hash, home)) return
      // The page does not hear of the new address before the question is answered.
      event.stopImmediatePropagation()
      history.pushState(undefined, '', event.oldURL)
      setTarget(hash === '' ? '#/' : hash)
    }
    addEventListener('beforeunload', asked)
    addEventListener('hashchange', moved, { capture: true })
    return () => {
      removeEventListener('beforeunload', asked)
      removeEventListener('hashchange', moved, { capture: true })
    }
  }, [isGuarded, home])
  useEffect(() => {
    if (isLeaving && target !== undefined) go(target)
  }, [isLeaving])
  return {
    target: isLeaving ? undefined : target,
    leave: () => {
      setLeaving(true)
    },
    stay: () => {
      setTarget(undefined)
    },
  }
}

function isBelow(hash: string, home: string): boolean {
  return hash === home || hash.startsWith(`${home}/`) || hash.startsWith(`${home}?`)
}
