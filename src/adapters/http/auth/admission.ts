import type { KeyHolder, Scope, RateLimit } from '../ports/key-ring.js'
import { HttpFault } from '../errors/faults.js'

/** Lets a holder of a live key pass, by calling `done` without an error. */
export type Admission = (holder: KeyHolder, done: (error?: Error) => void) => void

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
