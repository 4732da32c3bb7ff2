import type { FastifyRequest, onSendHookHandler } from 'fastify'

/** Which pages may call: those of these origins, or of all. */
export type Origins = readonly string[] | '*'

const preflight = {
  'Access-Control-Allow-Methods': 'POST, GET',
  // Without the last one no browser would ever send a repeat.
  'Access-Control-Allow-Headers': 'authorization, content-type, x-retry-count',
  'Access-Control-Max-Age': '600',
}

/** Says on every reply, errors too, that a page of these origins may read it. It protects nothing. */
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

/** What analytics.js asks its CDN for before it sends anything. `publicUrl`: where pages reach this service. */
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
