import { useEffect, useState } from 'preact/hooks'
import { DossierError } from '../../client/dossier.js'
import { useSession } from '../frame/session.js'
import { waitAfter } from './times.js'

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
 * Asks the service now and then every `everyMs` (0: once) while the page is seen, what is large less often,
 * and what failed for a while until it is there; what was under way is
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
      let nextMs = everyMs
      try {
        const answer = await ask(signal)
        if (signal.aborted) return
        if (everyMs > 0) nextMs = waitAfter(answer, everyMs)
        setValue(() => answer)
        setError(undefined)
      } catch (reason) {
        if (signal.aborted) return
        if (!(reason instanceof DossierError)) throw reason
        if (reason.status === 401) session.leave('This key is not valid any more.')
        setError(reason)
        if (reason.isPassing) nextMs = oftenMs
      }
      if (nextMs > 0) later(nextMs)
    }
    const later = (ms: number) => {
      timer = setTimeout(() => {
        if (document.hidden) later(ms)
        else void run()
      }, ms)
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
