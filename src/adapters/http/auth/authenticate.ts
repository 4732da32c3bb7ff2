import type { FastifyRequest, onRequestHookHandler } from 'fastify'
import type { KeyHolder, KeyRing } from '../ports/key-ring.js'
import type { Admission } from './admission.js'
import { HttpFault } from '../errors/faults.js'

declare module 'fastify' {
  interface FastifyRequest {
    /** Of the key that it came with; null before it is checked, undefined of what is no request to Fastify. */
    keyHolder: KeyHolder | null | undefined
    /** The holder's id; empty before the key is checked. */
    readonly keyId: string
  }
}

const bearer = /^Bearer +([!-~]{1,255})$/i

/** Cached, as plain faults are. */
const unauthenticated = new HttpFault('unauthenticated', undefined, [], {
  'WWW-Authenticate': 'Bearer',
})

/** Who holds the key that a request came with, if it is live now. */
export function holderOf(keyRing: KeyRing, { headers }: FastifyRequest): KeyHolder | undefined {
  const key = bearer.exec(headers.authorization ?? '')?.[1]
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
