import type { FastifyRequest, onRequestHookHandler } from 'fastify'
import type { KeyHolder, KeyRing, Scope, RateLimit } from '../ports/key-ring.js'
import { HttpFault } from '../errors/faults.js'

declare module 'fastify' {
  interface FastifyRequest {
    /** Of the key that it came with; null before it is checked, undefined of what is no request to Fastify. */
    keyHolder: KeyHolder | null | undefined
    readonly keyId: string
  }
}

const bearer = /^Bearer +([!-~]{1,255})$/i

const unauthenticated = new HttpFault('unauthenticated', undefined, [], {
  'WWW-Authenticate': 'Bearer',
})

/** Who holds the key that a request came with, if it is live now. */
export function holderOf(keyRing: KeyRing, { raw }: FastifyRequest): KeyHolder | undefined {
  const key = bearer.exec(raw.headers.authorization ?? '')?.[1]
  return key === undefined ? undefined : keyRing.holderOf(key)
}

/** Lets a request pass whose key is live and whose holder is admitted; runs before the body is read. */
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

/** Lets a holder of a live key pass, by calling `done` without an error. */
type Admission = (holder: KeyHolder, done: (error?: Error) => void) => void

/** Admits holders who have one of the scopes and, where there is a limit, have not sent too many requests. */
export function admission(scopes: readonly [Scope, ...Scope[]], limit?: RateLimit): Admission {
  const forbidden = new HttpFault('forbidden', lacks(scopes[0]))
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

function lacks(scope: Scope): string {
  return `This key does not have the scope "${scope}". Use one that has it.`
}

/** `seconds`: after how many the next request may come. */
export function rateLimited(seconds: number): HttpFault {
  return new HttpFault('rate_limited', undefined, [], { 'Retry-After': String(seconds) })
}
