import { z } from 'zod'

/** What the load process is asked to send, until either of the two ends is reached. */
export const orderForm = z.object({
  origin: z.string(),
  /** For `Authorization: Bearer`. */
  key: z.string(),
  connections: z.int().positive(),
  seconds: z.number().positive().optional(),
  requests: z.int().positive().optional(),
  /** At most so many a second, over all connections; absent: each as soon as the one before is answered. */
  perSecond: z.number().positive().optional(),
  kind: z.enum(['event', 'keyed-event', 'tracked', 'entity', 'profile', 'timeline']),
  /** Events in a `POST /batch`, of `tracked` in a `POST /v1/batch`; absent: each in a request of its own. */
  batch: z.int().positive().optional(),
  /**
   * `entity`: the number of the first that is made. All others: those of so many entities `customer-0`,
   * `customer-1`, … that are named.
   */
  named: z.object({ first: z.int(), count: z.int().positive(), of: z.int().positive() }),
  /** In ids of entities that are made, and in idempotency keys. */
  prefix: z.string(),
})

export type Order = z.infer<typeof orderForm>

/** What came of it. Times in milliseconds, CPU in microseconds. */
export const outcomeForm = z.object({
  requests: z.int(),
  milliseconds: z.number(),
  p50: z.number(),
  p99: z.number(),
  /** How many answers had which status. */
  statuses: z.record(z.string(), z.int()),
  /** What the load process itself used. */
  cpu: z.number(),
})

export type Outcome = z.infer<typeof outcomeForm>

export const messageForm = z.union([
  z.object({ outcome: outcomeForm }),
  z.object({ failed: z.string() }),
])
