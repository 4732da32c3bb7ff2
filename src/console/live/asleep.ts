import { useEffect, useState } from 'preact/hooks'

/** How long a tab may be hidden before its stream is closed, in milliseconds. */
const hiddenMs = 30_000

/** Whether the tab has been hidden for a while. */
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
