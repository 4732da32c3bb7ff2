import { plainFault } from '../errors/faults.js'
import { header, jsonContent, read } from './operations.js'
import type { ReadParts, Resource } from './resource.js'

const path = '/health/ready/reads'

/** `GET /health/ready/reads`: reads are answered. */
export const readHealth: Resource<ReadParts> = {
  paths: {
    [path]: {
      get: read({
        operationId: 'getHealthReadyReads',
        summary: 'Reads are answered: the read model has been built.',
        description: 'Yes.',
        content: jsonContent('HealthReply'),
        faults: ['read_model_behind'],
        headers: { Position: header('KnownPosition') },
        faultHeaders: { Position: header('FaultPosition') },
      }),
    },
  },
  schemas: {},
  addRoutes: (server, { reading, lifecycle }) => {
    server.get(path, async (_request, reply) => {
      if (lifecycle.state !== 'serving') throw plainFault('shutting_down')
      reply.header('Position', String(await reading.checkReads()))
      return { status: 'success', data: { health: 'ready' } }
    })
  },
}
