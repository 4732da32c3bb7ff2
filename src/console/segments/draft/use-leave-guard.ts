import { useLayoutEffect, useState } from 'preact/hooks'
import { go, setLeaveGuard } from '../../frame/route.js'

export interface LeaveGuard {
  /** The address to which the user wants to go. Undefined when the user is not leaving. */
  readonly target: string | undefined
  readonly leave: () => void
  readonly stay: () => void
}

/**
 * Asks before the user leaves the addresses that begin with `home` while something is unsaved. When the user closes the
 * tab, the browser asks.
 */
export function useLeaveGuard(isUnsaved: boolean, home: string): LeaveGuard {
  const [target, setTarget] = useState<string>()
  // A layout effect, so that the guard works as soon as the page says that something is unsaved.
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

/**
 * Goes to an address without asking. Removes the guard, which may still be set because the page has not yet rendered
 * the saved state.
 */
export function goUnasked(address: string): void {
  setLeaveGuard(undefined)
  go(address)
}

function isBelow(address: string, home: string): boolean {
  return address === home || address.startsWith(`${home}/`) || address.startsWith(`${home}?`)
}
