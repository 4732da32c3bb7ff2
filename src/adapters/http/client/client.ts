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
    server.get(path, (request, reply) => {
      reply.headers({ 'Cache-Control': 'no-cache', 'X-Content-Type-Options': 'nosniff' })
      return sendBuiltFile(request, reply, file)
    })
  }
}
