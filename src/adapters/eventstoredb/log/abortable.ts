import { Stopped } from './subscription-errors.js'

/**
 * Resolves with the result of `work`. Rejects with `Stopped` as soon as the signal is aborted; a
 * result that arrives after the abort is ignored.
 */
export function abortable<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      reject(new Stopped('stopped'))
    }
    signal.addEventListener('abort', stop, { once: true })
    if (signal.aborted) stop()
    work.then(resolve, reject).finally(() => {
      signal.removeEventListener('abort', stop)
    })
  })
}
