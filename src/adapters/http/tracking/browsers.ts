import type { FastifyRequest, onSendHookHandler } from 'fastify'

/** The origins whose pages may read replies: a list, or `*` for all. */
export type Origins = readonly string[] | '*'

const preflight = {
  'Access-Control-Allow-Methods': 'POST, GET',
  // Allows `x-retry-count`, because browsers would otherwise not send the retries of an SDK.
  'Access-Control-Allow-Headers': 'authorization, content-type, x-retry-count',
  'Access-Control-Max-Age': '600',
}

/**
 * Adds CORS headers, so that pages of these origins can read every reply, including faults. CORS is
 * no protection here, because clients other than browsers ignore it.
 */
export function allowOrigins(origins: Origins): onSendHookHandler {
  return (request, reply, _payload, done) => {
    reply.header('Vary', 'Origin')
    const origin = allowedOrigin(origins, request)
    if (origin !== undefined) {
      reply.header('Access-Control-Allow-Origin', origin)
      reply.header('Access-Control-Expose-Headers', 'Retry-After')
      if (request.method === 'OPTIONS') reply.headers(preflight)
    }
    done()
  }
}

function allowedOrigin(origins: Origins, { headers }: FastifyRequest): string | undefined {
  if (origins === '*') return '*'
  const { origin } = headers
  return origin !== undefined && origins.includes(origin) ? origin : undefined
}

/**
 * Returns the settings that analytics.js would otherwise load from its CDN. `publicUrl` is the URL
 * under which pages reach this service. Without `publicUrl`, the settings contain the URL of the
 * request.
 */
export function browserSettings(key: string, request: FastifyRequest, publicUrl?: string): string {
  const { protocol, host, path } = publicUrl === undefined ? asReached(request) : partsOf(publicUrl)
  return JSON.stringify({
    integrations: { 'Segment.io': { apiKey: key, apiHost: `${host}${path}/v1`, protocol } },
    metrics: { sampleRate: 0 },
  })
}

function asReached({ protocol, host }: FastifyRequest) {
  return { protocol, host, path: '' }
}

function partsOf(url: string) {
  const { protocol, host, pathname } = new URL(url)
  return { protocol: protocol.slice(0, -1), host, path: pathname.replace(/\/$/, '') }
}
