import type { FastifyInstance } from 'fastify'
import { sendDocumented } from './documented-reply.js'
import { defineKey, writeKey } from './http-service.js'

type Headers = Readonly<Record<string, string>>

interface Sent {
  readonly method: 'PUT' | 'DELETE' | 'POST'
  readonly url: string
  readonly key: string
  readonly body?: unknown
  readonly headers?: Headers
}

/** Sends a request. Without a body, also omits the body headers. */
export function send(server: FastifyInstance, { method, url, key, body, headers }: Sent) {
  const authorization = `Bearer ${key}`
  if (body === undefined) {
    return sendDocumented(server, { method, url, headers: { authorization, ...headers } })
  }
  return sendDocumented(server, {
    method,
    url,
    headers: { authorization, 'content-type': 'application/json', ...headers },
    payload: JSON.stringify(body),
  })
}

/** Defines a segment with a key that may define segments. */
export function define(server: FastifyInstance, key: string, body: unknown, headers?: Headers) {
  const url = `/segments/${encodeURIComponent(key)}`
  return send(server, { method: 'PUT', url, key: defineKey, body, ...(headers && { headers }) })
}

/** Retires a segment with a key that may retire segments. */
export function retire(server: FastifyInstance, key: string, headers?: Headers) {
  const url = `/segments/${encodeURIComponent(key)}`
  return send(server, { method: 'DELETE', url, key: defineKey, ...(headers && { headers }) })
}

/** Adds an entity to a segment by hand, or removes it, with a key that may write. */
export function move(
  server: FastifyInstance,
  method: 'PUT' | 'DELETE',
  [key, externalId]: readonly [key: string, externalId: string],
  /** In the body of PUT, and in the query of DELETE. */
  reason?: string,
  headers?: Headers,
) {
  const url = `/segments/${encodeURIComponent(key)}/members/${encodeURIComponent(externalId)}`
  if (method === 'DELETE' && reason !== undefined) {
    const query = new URLSearchParams({ reason }).toString()
    return send(server, {
      method,
      url: `${url}?${query}`,
      key: writeKey,
      ...(headers && { headers }),
    })
  }
  const body = reason === undefined ? undefined : { reason }
  return send(server, { method, url, key: writeKey, body, ...(headers && { headers }) })
}

export const byRule = { title: 'Everyone', kind: 'rule', rule: { everyone: true } }
export const byHand = { title: 'Testers', kind: 'hand' }
