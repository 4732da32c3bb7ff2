import { Stopped } from './subscription-errors.js'

/** The result of `work`, or `Stopped` as soon as the signal is given; what comes later is dropped. */
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
