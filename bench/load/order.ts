import { z } from 'zod'

/** An order for the load process. The load ends after `seconds` or `requests`, whichever comes first. */
export const orderForm = z.object({
  origin: z.string(),
  /** The key for `Authorization: Bearer`. */
  key: z.string(),
  connections: z.int().positive(),
  seconds: z.number().positive().optional(),
  requests: z.int().positive().optional(),
  /**
   * The most requests per second over all connections. Absent: each connection sends its next request after each
   * reply.
   */
  perSecond: z.number().positive().optional(),
  kind: z.enum(['event', 'keyed-event', 'tracked', 'entity', 'profile', 'timeline']),
  /**
   * The number of events in a `POST /batch`, or for `tracked` in a `POST /v1/batch`. Absent: one event per request.
   */
  batch: z.int().positive().optional(),
  /**
   * The entities of the requests. For `entity`, `first` is the number of the first entity to create. For other kinds,
   * the requests are about `count` entities, spread evenly over the `of` entities `customer-0`, `customer-1`, ….
   */
  named: z.object({ first: z.int(), count: z.int().positive(), of: z.int().positive() }),
  /** A prefix of the ids of created entities and of idempotency keys. */
  prefix: z.string(),
})

export type Order = z.infer<typeof orderForm>

/** The result of an order. Times are in milliseconds, CPU time is in microseconds. */
export const outcomeForm = z.object({
  requests: z.int(),
  milliseconds: z.number(),
  p50: z.number(),
  p99: z.number(),
  /** The number of replies by status. */
  statuses: z.record(z.string(), z.int()),
  /** The CPU time of the load process itself. */
  cpu: z.number(),
})

export type Outcome = z.infer<typeof outcomeForm>

export const messageForm = z.union([
  z.object({ outcome: outcomeForm }),
  z.object({ failed: z.string() }),
])
