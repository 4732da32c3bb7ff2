import { openRoute } from './declared-open.js'

export const metricsPath = '/metrics'

/** It answers as long as the process does. */
export const metrics = openRoute({
  operationId: 'getMetrics',
  summary: 'The metrics of this process, for Prometheus.',
  description: 'The text format of Prometheus, version 0.0.4.',
  path: metricsPath,
  content: { 'text/plain': { schema: { type: 'string' } } },
  answer: async (_request, reply, { metrics: its }) =>
    reply.type(its.contentType).send(await its.text()),
})
