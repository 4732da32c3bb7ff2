import type { FastifyInstance } from 'fastify'
import { sendBuiltFile } from '../built-file.js'
import type { ClientFiles } from './client-files.js'

/**
 * Serves the client that fits this version of the service: `GET /client.tgz` is an npm package, and
 * `GET /client.js` is for web pages. Neither needs an API key. The paths contain no hash, so
 * callers ask each time whether the file has changed.
 */
export function addClient(server: FastifyInstance, files: ClientFiles): void {
  for (const [path, file] of files) {
    const { gzipped, etag } = file
    server.get(path, (request, reply) => {
      reply.headers({
        'Cache-Control': 'no-cache',
        ETag: etag,
        'X-Content-Type-Options': 'nosniff',
      })
      if (gzipped !== undefined) reply.header('Vary', 'Accept-Encoding')
      if (includesTag(request.headers['if-none-match'], etag)) return reply.code(304).send()
      return sendBuiltFile(request, reply, file)
    })
  }
}

/** Returns whether `If-None-Match` contains the entity tag. */
function includesTag(header: string | undefined, etag: string): boolean {
  const tags = (header ?? '').split(',').map((tag) => tag.trim())
  return tags.includes(etag) || tags.includes('*')
}
