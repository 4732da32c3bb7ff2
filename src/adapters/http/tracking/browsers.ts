import type { FastifyRequest, onSendHookHandler } from 'fastify'

/** The origins whose pages may call: these, or all. */
export type Origins = readonly string[] | '*'

const preflight = {
  'Access-Control-Allow-Methods': 'POST, GET',
  // Without the last header no browser would send a retry.
  'Access-Control-Allow-Headers': 'authorization, content-type, x-retry-count',
  'Access-Control-Max-Age': '600',
}

/** Allows pages of these origins to read every reply, also a fault. This protects nothing. */
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

/** The settings that analytics.js loads from its CDN first. `publicUrl`: the URL of this service for pages. */
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
