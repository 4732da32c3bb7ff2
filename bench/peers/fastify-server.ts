import type { AddressInfo } from 'node:net'
import { fastify, type FastifyInstance } from 'fastify'
import { ZodError } from 'zod'
import { announce } from './announce.js'

/**
 * Creates a Fastify server as its guide recommends for production: without a logger. An incomplete body gets 422.
 */
export function fastifyServer(): FastifyInstance {
  const server = fastify({ logger: false })
  server.setErrorHandler(async (error, _request, reply) => {
    const status = error instanceof ZodError ? 422 : 500
    const message = error instanceof Error ? error.message : String(error)
    return reply.code(status).send({ status: 'error', error: { message } })
  })
  return server
}

export async function listen(server: FastifyInstance): Promise<void> {
  await server.listen({ host: '127.0.0.1', port: Number(process.env['PORT'] ?? '0') })
  const { port } = server.server.address() as AddressInfo
  announce(port)
}
