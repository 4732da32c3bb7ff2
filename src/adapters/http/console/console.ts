import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { plainFault } from '../errors/faults.js'
import { takesGzip } from '../requests/request-headers.js'
import type { ConsoleFile, ConsoleFiles } from './console-files.js'

/** The page may run and ask for nothing but what comes from here, and no other page may hold it. */
const headers = {
  'Content-Security-Policy': [
    `default-src 'none'`,
    `script-src 'self'`,
    `style-src 'self'`,
    `connect-src 'self'`,
    `img-src 'self'`,
    `base-uri 'none'`,
    `form-action 'none'`,
    `frame-ancestors 'none'`,
    `require-trusted-types-for 'script'`,
  ].join('; '),
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  Vary: 'Accept-Encoding',
}

const notKept = 'no-store'
const keptForEver = 'public, max-age=31536000, immutable'

/**
 * `GET /console` and the files of the page, out of memory. They need no key: the page has a form for
 * one. Behind one address two versions may answer: where the page came from the other one, the file of a
 * name that is not ours is ours all the same, and is not to be kept.
 */
export function addConsole(server: FastifyInstance, { page, parts }: ConsoleFiles): void {
  server.get('/console', (request, reply) => send(request, reply, page, notKept))
  server.get<{ Params: { file: string } }>('/console/:file', (request, reply) => {
    const { file } = request.params
    const own = parts.get(file)
    if (own !== undefined) return send(request, reply, own, keptForEver)
    const [, end] = /^console-[0-9a-f]+(\.(?:js|css|svg))$/.exec(file) ?? []
    const [, other] = [...parts].find(([name]) => end !== undefined && name.endsWith(end)) ?? []
    if (other === undefined) throw plainFault('route_not_found')
    return send(request, reply, other, notKept)
  })
}

function send(
  request: FastifyRequest,
  reply: FastifyReply,
  { type, plain, gzipped }: ConsoleFile,
  cacheControl: string,
): FastifyReply {
  reply.headers({ ...headers, 'Cache-Control': cacheControl }).type(type)
  if (!takesGzip(request.headers['accept-encoding'])) return reply.send(plain)
  return reply.header('Content-Encoding', 'gzip').send(gzipped)
}
