import { useEffect, useState } from 'preact/hooks'

/** The time for which a tab may be hidden before its stream is closed, in milliseconds. */
const hiddenMs = 30_000

/** Returns whether the tab has been hidden for longer than this time. */
export function useAsleep(): boolean {
  const [isAsleep, setAsleep] = useState(false)
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const look = () => {
      clearTimeout(timer)
      if (!document.hidden) setAsleep(false)
      else {
        timer = setTimeout(() => {
          setAsleep(true)
        }, hiddenMs)
      }
    }
    document.addEventListener('visibilitychange', look)
    return () => {
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', look)
    }
  }, [])
  return isAsleep
}
