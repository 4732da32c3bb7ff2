import type { FastifyRequest } from 'fastify'

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
