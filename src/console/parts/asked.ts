import { useEffect, useState } from 'preact/hooks'
import { DossierError } from '../../client/dossier.js'
import { useSession } from '../frame/session.js'

export interface Asked<T> {
  /** The latest answer; it stays while the next one is asked for, and after a failure. */
  readonly value: T | undefined
  readonly error: DossierError | undefined
  /** Asks again at once. */
  readonly reload: () => void
}

/** How often what may change is asked for, in milliseconds. */
export const oftenMs = 2_000

/**
 * Asks the service now and then every `everyMs` (0: once) while the page is seen; what was under way is
 * given up when `deps` change or the view is left. A key that is not valid any more leads to the door.
 */
export function useAsked<T>(
  ask: (signal: AbortSignal) => Promise<T>,
  deps: readonly unknown[],
  everyMs = oftenMs,
): Asked<T> {
  const session = useSession()
  const [value, setValue] = useState<T>()
  const [error, setError] = useState<DossierError>()
  const [round, setRound] = useState(0)
  useEffect(() => {
    setValue(undefined)
    setError(undefined)
  }, deps)
  useEffect(() => {
    const controller = new AbortController()
    const { signal } = controller
    let timer: ReturnType<typeof setTimeout> | undefined
    const run = async () => {
      try {
        const answer = await ask(signal)
        if (signal.aborted) return
        setValue(() => answer)
        setError(undefined)
      } catch (reason) {
        if (signal.aborted) return
        if (!(reason instanceof DossierError)) throw reason
        if (reason.status === 401) session.leave('This key is not valid any more.')
        setError(reason)
      }
      if (everyMs > 0) later()
    }
    const later = () => {
      timer = setTimeout(() => {
        if (document.hidden) later()
        else void run()
      }, everyMs)
    }
    void run()
    return () => {
      clearTimeout(timer)
      controller.abort(new Error('the view is left'))
    }
  }, [...deps, everyMs, round])
  return {
    value,
    error,
    reload: () => {
      setRound((before) => before + 1)
    },
  }
}
