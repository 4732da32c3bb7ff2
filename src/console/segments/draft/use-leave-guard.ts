import { useLayoutEffect, useState } from 'preact/hooks'
import { go, setLeaveGuard } from '../../frame/route.js'

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
  // The guard stands as soon as the page says that something is unsaved.
  useLayoutEffect(() => {
    if (!isUnsaved) return
    const asked = (event: BeforeUnloadEvent) => {
      event.preventDefault()
    }
    addEventListener('beforeunload', asked)
    setLeaveGuard((address) => {
      if (isBelow(address, home)) return false
      setTarget(address === '' ? '#/' : address)
      return true
    })
    return () => {
      removeEventListener('beforeunload', asked)
      setLeaveGuard(undefined)
    }
  }, [isUnsaved, home])
  return {
    target,
    leave: () => {
      if (target !== undefined) goUnasked(target)
    },
    stay: () => {
      setTarget(undefined)
    },
  }
}

/** Goes to an address without a question. The guard may still be set, because the saved page has not been shown yet. */
export function goUnasked(address: string): void {
  setLeaveGuard(undefined)
  go(address)
}

function isBelow(address: string, home: string): boolean {
  return address === home || address.startsWith(`${home}/`) || address.startsWith(`${home}?`)
}
