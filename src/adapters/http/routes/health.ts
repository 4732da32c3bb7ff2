import { z } from 'zod'
import { HttpFault, plainFault } from '../errors/faults.js'
import { header } from '../schemas/components.js'
import { openRoute } from './declared-open.js'
import type { ReadParts } from './route-parts.js'
import { success } from '../schemas/common.js'

export const livePath = '/health/live'

const healthReply = success(
  { health: z.enum(['live', 'ready']).meta({ description: 'The state of the process.' }) },
  'Health',
).meta({ id: 'HealthReply' })

export const liveHealth = openRoute({
  operationId: 'getHealthLive',
  summary: 'Whether the process is running.',
  description: 'Yes.',
  path: livePath,
  isAnsweredToTheEnd: true,
  reply: healthReply,
  answer: () => ({ status: 'success', data: { health: 'live' } }),
})

export const readyPath = '/health/ready'

export const readyHealth = openRoute({
  operationId: 'getHealthReady',
  summary: 'Whether the service can take requests: the store answers, and the clock is trusted.',
  description: 'Yes.',
  path: readyPath,
  reply: healthReply,
  faults: ['clock_untrusted'],
  answer: async (_request, _reply, { useCases, lifecycle }) => {
    const { storeLost } = lifecycle
    if (storeLost !== undefined) {
      throw new HttpFault(
        'store_unavailable',
        `This process has lost its store and is exiting: ${storeLost}.`,
      )
    }
    if (lifecycle.state !== 'serving') throw plainFault('shutting_down')
    const readiness = await useCases.checkReadiness()
    if (readiness !== 'ready') throw plainFault(readiness)
    return { status: 'success', data: { health: 'ready' } }
  },
})

export const readsHealth = openRoute<ReadParts>({
  operationId: 'getHealthReadyReads',
  summary: 'Whether the service answers reads: the read model is built.',
  description: 'Yes.',
  path: '/health/ready/reads',
  reply: healthReply,
  faults: ['read_model_behind'],
  headers: { Position: header('KnownPosition') },
  faultHeaders: { Position: header('FaultPosition') },
  answer: async (_request, reply, { reading, lifecycle }) => {
    if (lifecycle.state !== 'serving') throw plainFault('shutting_down')
    reply.header('Position', String(await reading.checkReads()))
    return { status: 'success', data: { health: 'ready' } }
  },
})

export const metricsPath = '/metrics'

/** The service answers this route until the process exits. */
export const metrics = openRoute({
  operationId: 'getMetrics',
  summary: 'The metrics of this process, for Prometheus.',
  description: 'The text format of Prometheus, version 0.0.4.',
  path: metricsPath,
  isAnsweredToTheEnd: true,
  content: { 'text/plain': { schema: { type: 'string' } } },
  answer: async (_request, reply, { metrics: its }) =>
    reply.type(its.contentType).send(await its.text()),
})
