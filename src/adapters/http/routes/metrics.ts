import { read } from './operations.js'
import type { Resource } from './resource.js'

export const metricsPath = '/metrics'

/** `GET /metrics`: needs no key, and answers as long as the process does. */
export const metrics: Resource = {
  paths: {
    [metricsPath]: {
      get: read({
        operationId: 'getMetrics',
        summary: 'The metrics of this process, for Prometheus.',
        description: 'The text format of Prometheus, version 0.0.4.',
        content: { 'text/plain': { schema: { type: 'string' } } },
      }),
    },
  },
  schemas: {},
  addRoutes: (server, { metrics }) => {
    server.get(metricsPath, async (_request, reply) =>
      reply.type(metrics.contentType).send(await metrics.text()),
    )
  },
}
