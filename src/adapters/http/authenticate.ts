import type { onRequestHookHandler } from 'fastify'
import type { KeyRing, Scope } from '../../application/ports/key-ring.js'
import { HttpFault } from './faults.js'

const bearer = /^Bearer +([!-~]{1,255})$/i

/** Lets a request pass whose key is live and has the scope; runs before the body is read. */
export function authenticate(keyRing: KeyRing, scope: Scope): onRequestHookHandler {
  return (request, _reply, done) => {
    const key = bearer.exec(request.headers.authorization ?? '')?.[1]
    const holder = key === undefined ? undefined : keyRing.holderOf(key)
    if (holder === undefined) {
      const headers = { 'WWW-Authenticate': 'Bearer' }
      done(new HttpFault('unauthenticated', undefined, [], headers))
      return
    }
    done(holder.scopes.includes(scope) ? undefined : new HttpFault('forbidden'))
  }
}
