import { useEffect, useState } from 'preact/hooks'
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
  const [isLeaving, setLeaving] = useState(false)
  const isGuarded = isUnsaved && !isLeaving
  useEffect(() => {
    if (!isGuarded) return
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

function isBelow(address: string, home: string): boolean {
  return address === home || address.startsWith(`${home}/`) || address.startsWith(`${home}?`)
}
