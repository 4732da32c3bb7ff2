import type { FastifyInstance, LightMyRequestResponse } from 'fastify'
import { writeKey } from './http-service.js'

export type Path = '/entities' | '/events'

/** Posts a body (JSON text, bytes, or a value to make JSON of) as a caller who may write. */
export function post(
  server: FastifyInstance,
  path: Path,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<LightMyRequestResponse> {
  const payload = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body)
  return server.inject({
    method: 'POST',
    url: path,
    headers: { ...callersHeaders, ...headers },
    payload,
  })
}

export const callersHeaders = {
  authorization: `Bearer ${writeKey}`,
  'content-type': 'application/json',
}
