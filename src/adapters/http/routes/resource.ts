import type { FastifyInstance, onRequestHookHandler } from 'fastify'
import type { Clock } from '../../../application/ports/clock.js'
import type { UseCases } from '../../../application/use-cases.js'
import type { Lifecycle } from '../connection/lifecycle.js'
import type { MetricsText } from '../ports/metrics-text.js'

/** What handlers of routes may need. */
export interface RouteParts {
  readonly useCases: UseCases
  readonly lifecycle: Pick<Lifecycle, 'state'>
  readonly metrics: MetricsText
  /** For rules that depend on the time of receipt. */
  readonly clock: Clock
  /** For routes that write: the key, its scope and limit, the type of the body. */
  readonly writeGuards: onRequestHookHandler[]
  /** This API as an OpenAPI document. */
  readonly document: object
}

/** The routes of one resource, and what the OpenAPI document says of them. */
export interface Resource {
  /** Operations by path and method. */
  readonly paths: Readonly<Record<string, Readonly<Record<string, object>>>>
  /** JSON Schemas that the operations refer to, by name. */
  readonly schemas: Readonly<Record<string, object>>
  addRoutes(server: FastifyInstance, parts: RouteParts): void
}
