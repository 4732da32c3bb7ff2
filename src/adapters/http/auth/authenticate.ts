import type { FastifyRequest, onRequestHookHandler } from 'fastify'
import type { KeyHolder, KeyRing, Scope, RateLimit } from '../ports/key-ring.js'
import { HttpFault } from '../errors/faults.js'

declare module 'fastify' {
  interface FastifyRequest {
    /**
     * The holder of the key of the request. Null before the key is checked; undefined for input that never became
     * a request of Fastify.
     */
    keyHolder: KeyHolder | null | undefined
    readonly keyId: string
  }
}

const bearer = /^Bearer +([!-~]{1,255})$/i

const unauthenticated = new HttpFault('unauthenticated', undefined, [], {
  'WWW-Authenticate': 'Bearer',
})

/** The holder of the key of a request, if the key is live now. */
export function holderOf(keyRing: KeyRing, { raw }: FastifyRequest): KeyHolder | undefined {
  const key = bearer.exec(raw.headers.authorization ?? '')?.[1]
  return key === undefined ? undefined : keyRing.holderOf(key)
}

/** Refuses a request without a live key, and a holder that `admit` refuses. Runs before the body is read. */
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

/** Calls `done` without an error to admit the holder of a live key, and with a fault to refuse it. */
type Admission = (holder: KeyHolder, done: (error?: Error) => void) => void

/** Admits holders that have one of the scopes and are within the rate limit, if there is one. */
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
  return `This key does not have the scope "${scope}". Use one that has it.`
}

/** `seconds`: how long to wait before the next request. */
export function rateLimited(seconds: number): HttpFault {
  return new HttpFault('rate_limited', undefined, [], { 'Retry-After': String(seconds) })
}
