import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { plainFault } from '../errors/faults.js'
import { sendBuiltFile, type BuiltFile } from '../built-file.js'
import type { ConsoleFiles } from './console-files.js'

/**
 * The security headers of the console. The page may load scripts, styles and data only from its own
 * origin, and no other page may embed it.
 */
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
}

const notKept = 'no-store'
const keptForEver = 'public, max-age=31536000, immutable'

/**
 * Serves `GET /console` and its files from memory. They need no API key, because the page itself
 * asks for one.
 *
 * During a deployment, two releases may share one address. The page of one release may then request
 * its files from the other release. Such a request gets the file of the same type from the release
 * that answers, and the reply must not be cached.
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
  file: BuiltFile,
  cacheControl: string,
): FastifyReply {
  reply.headers({ ...headers, 'Cache-Control': cacheControl })
  return sendBuiltFile(request, reply, file)
}
