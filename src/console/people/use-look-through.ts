import { useEffect, useState } from 'preact/hooks'
import { DossierError } from '../../client/dossier.js'
import { useSession } from '../frame/session.js'
import type { SearchPlace } from './columns.js'
import { lookThrough, type PlaceFound } from './look-through.js'

export interface LookedThrough {
  readonly found: readonly PlaceFound[]
  readonly isBusy: boolean
  readonly error: DossierError | undefined
  readonly stop: () => void
}

/** Searches the properties `places` for the text `is`. `places` is undefined until the properties are known. */
export function useLookThrough(
  places: readonly SearchPlace[] | undefined,
  is: string,
): LookedThrough {
  const { client, leave } = useSession()
  const [found, setFound] = useState<readonly PlaceFound[]>([])
  const [isBusy, setBusy] = useState(true)
  const [error, setError] = useState<DossierError>()
  const [isStopped, setStopped] = useState(false)
  useEffect(() => {
    if (places === undefined || isStopped) return
    const controller = new AbortController()
    const { signal } = controller
    setBusy(true)
    lookThrough(client, places, is, signal, setFound)
      .catch((reason: unknown) => {
        if (signal.aborted) return
        if (!(reason instanceof DossierError)) throw reason
        if (reason.status === 401) leave('This key is not valid any more.')
        setError(reason)
      })
      .finally(() => {
        if (!signal.aborted) setBusy(false)
      })
    return () => {
      controller.abort(new Error('the search is left'))
    }
  }, [places === undefined, is, isStopped])
  return {
    found,
    isBusy: isBusy && !isStopped,
    error,
    stop: () => {
      setStopped(true)
    },
  }
}
