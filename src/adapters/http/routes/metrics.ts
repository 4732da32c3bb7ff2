import type { FastifyInstance } from 'fastify'

export const metricsPath = '/metrics'

/** The figures of this process, as text for those who collect them. */
export interface Figures {
  readonly contentType: string
  text(): Promise<string>
}

/** `GET /metrics`: needs no key, and answers as long as the process listens to anyone. */
export function metricsRoute(server: FastifyInstance, figures: Figures): void {
  server.get(metricsPath, async (_request, reply) =>
    reply.type(figures.contentType).send(await figures.text()),
  )
}
