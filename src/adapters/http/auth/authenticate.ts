import type { FastifyRequest, onRequestHookHandler } from 'fastify'
import type { KeyHolder, KeyRing, Scope, RateLimit } from '../ports/key-ring.js'
import { HttpFault } from '../errors/faults.js'

declare module 'fastify' {
  interface FastifyRequest {
    /**
     * The owner of the request's API key. Null until the key is checked. Undefined for malformed
     * input that Fastify rejects before it creates a request.
     */
    keyHolder: KeyHolder | null | undefined
    readonly keyId: string
  }
}

const bearer = /^Bearer +([!-~]{1,255})$/i

const unauthenticated = new HttpFault('unauthenticated', undefined, [], {
  'WWW-Authenticate': 'Bearer',
})

/** Returns the owner of the request's API key. Undefined when the key is missing, unknown or revoked. */
export function holderOf(keyRing: KeyRing, { raw }: FastifyRequest): KeyHolder | undefined {
  const key = bearer.exec(raw.headers.authorization ?? '')?.[1]
  return key === undefined ? undefined : keyRing.holderOf(key)
}

/**
 * Returns a hook that refuses a request without a valid API key, and a request whose key owner
 * `admit` refuses. The hook runs before the body is read.
 */
export function authenticate(keyRing: KeyRing, admit: Admission): onRequestHookHandler {
  return (request, _reply, done) => {
    const holder = holderOf(keyRing, request)
    if (holder === undefined) {
      done(unauthenticated)
      return
    }
    request.keyHolder = holder
    admit(holder, done)
  }
}

/**
 * Decides whether the owner of a key may make the request. Calls `done` without an error to admit
 * the owner, or with the fault to send.
 */
type Admission = (holder: KeyHolder, done: (error?: Error) => void) => void

/**
 * Returns an `Admission` that requires one of the scopes. With `limit`, each request also counts against the rate
 * limit.
 */
export function admission(scopes: readonly [Scope, ...Scope[]], limit?: RateLimit): Admission {
  const forbidden = new HttpFault('forbidden', missingScopeMessage(scopes[0]))
  const admit: Admission = (holder, done) => {
    done(holder.scopes.some((scope) => scopes.includes(scope)) ? undefined : forbidden)
  }
  if (limit === undefined) return admit
  return (holder, done) => {
    limit.take(holder.id).then((seconds) => {
      if (seconds === undefined) admit(holder, done)
      else done(rateLimited(seconds))
    }, done)
  }
}

function missingScopeMessage(scope: Scope): string {
  return `This key does not have the scope "${scope}". Use a key with that scope.`
}

/** Returns the 429 fault. `seconds` is the value of Retry-After. */
export function rateLimited(seconds: number): HttpFault {
  return new HttpFault('rate_limited', undefined, [], { 'Retry-After': String(seconds) })
}
