import { useEffect, useState } from 'preact/hooks'
import type { DossierError } from '../../client/dossier.js'
import { useSession } from '../frame/session.js'

export interface Shown<T> {
  /** The latest answer. The value is kept during the next request, and after a failure. */
  readonly value: T | undefined
  readonly error: DossierError | undefined
  /** Whether the value arrived after the component appeared, or at most `everyMs` before. */
  readonly isCurrent: boolean
  /** Asks everything on the page again, at once. */
  readonly reload: () => void
}

/** The intervals at which a changing answer is requested, in milliseconds. */
export const oftenMs = 2_000
export const seldomMs = 15_000

/**
 * Returns the answer to a question of the page. `key` contains the name of the question and every value that the answer
 * depends on. All components with an equal key share one request. With `everyMs` = 0, asks once.
 */
export function useAnswer<T>(
  key: readonly unknown[],
  ask: (signal: AbortSignal) => Promise<T>,
  everyMs = oftenMs,
): Shown<T> {
  const { answers } = useSession()
  const text = JSON.stringify(key)
  const [, setRound] = useState(0)
  const [appearedAt] = useState(() => Date.now())
  useEffect(() => {
    const changed = () => {
      setRound((round) => round + 1)
    }
    return answers.watch(text, ask, everyMs, changed)
  }, [answers, text, everyMs])
  const { value, error, at } = answers.read(text)
  return {
    // The cast is safe, because the key determines the type of the answer.
    value: value as T | undefined,
    error,
    isCurrent: at + everyMs >= appearedAt,
    reload: () => {
      answers.refresh()
    },
  }
}
