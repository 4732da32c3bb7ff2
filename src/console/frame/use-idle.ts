import { useEffect } from 'preact/hooks'
import { idleMs } from './stored-key.js'

/** Calls `onIdle` when the user has not touched the page for `idleMs`. */
export function useIdle(isSignedIn: boolean, onIdle: () => void): void {
  useEffect(() => {
    if (!isSignedIn) return
    let touchedAt = Date.now()
    const touched = () => {
      touchedAt = Date.now()
    }
    const signs = ['pointerdown', 'keydown', 'wheel'] as const
    for (const sign of signs) addEventListener(sign, touched, { passive: true })
    // Checks the time often: a single timer of half an hour would not run while the machine sleeps.
    const timer = setInterval(() => {
      if (Date.now() - touchedAt >= idleMs) onIdle()
    }, 5_000)
    return () => {
      clearInterval(timer)
      for (const sign of signs) removeEventListener(sign, touched)
    }
  }, [isSignedIn])
}
