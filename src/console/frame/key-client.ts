import { Calls } from '../../client/calls.js'
import { DossierError } from '../../client/dossier.js'

/** Returns a client of the service that served this page. A proxy may have added a prefix to the path. */
export function clientOf(key: string): Calls {
  const url = new URL('.', location.href)
  return new Calls({ url: url.origin + url.pathname, key, timeoutMs: 8_000 })
}

/** Returns the reason in words why a key was refused. */
export function refusalOf(error: unknown): string {
  if (!(error instanceof DossierError)) return 'An API key is made of visible characters only.'
  if (error.status === 401) return 'This key is not valid. Was it copied whole, or was it revoked?'
  if (error.status === 403)
    return 'This key may only track. Ask for one with the scope "read": npx dossier keys create --name NAME --scope read'
  return error.message
}
