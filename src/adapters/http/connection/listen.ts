import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'

/**
 * Connections that wait to be taken in, as far as the system allows. One is taken in a tick of the
 * event loop; those beyond the queue would try again after seconds.
 */
const maxWaiting = 4_096

/** Listens, at a free port where it is 0, and resolves with where: `http://127.0.0.1:3000`. */
export async function listen(
  server: FastifyInstance,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<string> {
  await server.listen({ host, port, backlog: maxWaiting })
  return originOf(server.server.address(), host)
}

function originOf(bound: AddressInfo | string | null, host: string): string {
  if (bound === null || typeof bound === 'string') return `http://${host}`
  const { address, port } = bound
  return `http://${address.includes(':') ? `[${address}]` : address}:${String(port)}`
}
