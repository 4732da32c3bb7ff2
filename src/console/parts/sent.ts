import { useState } from 'preact/hooks'
import { DossierError, type WriteOptions } from '../../client/dossier.js'
import { newKey } from '../../client/requests.js'
import { useSession } from '../frame/session.js'

export interface Sent<T> {
  readonly value: T | undefined
  /** The error of the current intent. Undefined as soon as the intent changes. */
  readonly error: DossierError | undefined
  readonly isBusy: boolean
  readonly send: () => Promise<void>
}

/**
 * A write that the user sends. `intent` is a text of everything that the write says. If the user sends an equal intent
 * again after a failure, the write repeats its idempotency key, and the service stores it once.
 */
export function useSent<T>(
  intent: string,
  call: (options: WriteOptions) => Promise<T>,
  onDone: (value: T) => void = () => undefined,
): Sent<T> {
  const session = useSession()
  const [state, setState] = useState<{
    value?: T
    error?: DossierError
    isBusy?: boolean
    of?: string
  }>({})
  const [meant, setMeant] = useState<{ text: string; key: string }>()
  const send = async () => {
    const key = meant?.text === intent ? meant.key : newKey()
    setMeant({ text: intent, key })
    setState({ isBusy: true })
    try {
      const value = await call({ idempotencyKey: key })
      setMeant(undefined)
      setState({ value })
      onDone(value)
    } catch (reason) {
      if (!(reason instanceof DossierError)) throw reason
      if (reason.status === 401) session.leave('This key is not valid any more.')
      setState({ error: reason, of: intent })
    }
  }
  const error = state.of === intent ? state.error : undefined
  return { value: state.value, error, isBusy: state.isBusy === true, send }
}
