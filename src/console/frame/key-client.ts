import { Calls } from '../../client/calls.js'
import { DossierError } from '../../client/dossier.js'

/** A client of the service that this page came from, whatever prefix a proxy put before it. */
export function clientOf(key: string): Calls {
  const url = new URL('.', location.href)
  return new Calls({ url: url.origin + url.pathname, key, timeoutMs: 8_000 })
}

/** Why a key was refused, in words. */
export function refusalOf(error: unknown): string {
  if (!(error instanceof DossierError)) return 'An API key is made of visible characters only.'
  if (error.status === 401) return 'This key is not valid. Was it copied whole, or was it revoked?'
  if (error.status === 403)
    return 'This key may only track. Ask for one with the scope "read": npx dossier keys create --name NAME --scope read'
  return error.message
}
