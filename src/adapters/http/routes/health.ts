import type { FastifyInstance } from 'fastify'
import type { UseCases } from '../../../application/use-cases.js'
import { plainFault } from '../errors/faults.js'
import type { PhaseHolder } from '../connection/lifecycle.js'

export const livePath = '/health/live'

/** `GET /health/live`: the process works. `GET /health/ready`: send it requests. */
export function healthRoutes(
  server: FastifyInstance,
  { checkReadiness }: Pick<UseCases, 'checkReadiness'>,
  holder: PhaseHolder,
): void {
  server.get(livePath, () => ({ status: 'success', data: { health: 'live' } }))
  server.get('/health/ready', async () => {
    if (holder.phase !== 'serving') throw plainFault('shutting_down')
    if (!(await checkReadiness())) throw plainFault('store_unavailable')
    return { status: 'success', data: { health: 'ready' } }
  })
}
