import { z } from 'zod'
import { plainFault } from '../errors/faults.js'
import { jsonContent, jsonSchema } from './components.js'
import { read } from './operations.js'
import type { Resource } from './resource.js'
import { success } from './schemas.js'

export const livePath = '/health/live'
const readyPath = '/health/ready'

const healthReply = success({ health: z.enum(['live', 'ready']) })

const content = jsonContent('HealthReply')

/** `GET /health/live`: the process works. `GET /health/ready`: send it requests. */
export const health: Resource = {
  paths: {
    [livePath]: {
      get: read({
        operationId: 'getHealthLive',
        summary: 'The process works.',
        description: 'Yes.',
        content,
      }),
    },
    [readyPath]: {
      get: read({
        operationId: 'getHealthReady',
        summary: 'The store answers and the clock is trusted: send requests.',
        description: 'Yes.',
        content,
        faults: ['store_unavailable', 'clock_untrusted'],
      }),
    },
  },
  schemas: { HealthReply: jsonSchema(healthReply, 'output') },
  addRoutes: (server, { useCases: { checkReadiness }, lifecycle }) => {
    server.get(livePath, () => ({ status: 'success', data: { health: 'live' } }))
    server.get(readyPath, async () => {
      if (lifecycle.state !== 'serving') throw plainFault('shutting_down')
      const readiness = await checkReadiness()
      if (readiness !== 'ready') throw plainFault(readiness)
      return { status: 'success', data: { health: 'ready' } }
    })
  },
}
