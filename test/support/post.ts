import type { FastifyInstance, LightMyRequestResponse } from 'fastify'
import { sendDocumented } from './documented-reply.js'
import { writeKey } from './http-service.js'

export type Path =
  | '/entities'
  | '/events'
  | '/batch'
  | '/erasures'
  | '/segments/evaluate'
  | '/segments/preview'

/** Posts a body with a key that may write. The body is JSON text, bytes, or a value to serialise. */
export function post(
  server: FastifyInstance,
  path: Path,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<LightMyRequestResponse> {
  const payload = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body)
  return sendDocumented(server, {
    method: 'POST',
    url: path,
    headers: { ...callersHeaders, ...headers },
    payload,
  })
}

/** Sends a `PATCH` for an entity with a key that may write. */
export function patch(
  server: FastifyInstance,
  externalId: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<LightMyRequestResponse> {
  return sendDocumented(server, {
    method: 'PATCH',
    url: `/entities/${encodeURIComponent(externalId)}`,
    headers: { ...callersHeaders, ...headers },
    payload: typeof body === 'string' ? body : JSON.stringify(body),
  })
}

export const callersHeaders = {
  authorization: `Bearer ${writeKey}`,
  'content-type': 'application/json',
}
