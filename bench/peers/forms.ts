import { z } from 'zod'

/** The shapes of the product's requests, without its rules of values. */

const name = z.string().min(1).max(255)
const properties = z.record(z.string(), z.unknown()).optional()

export const entitySchema = z.strictObject({ external_id: name, properties })

export const eventSchema = z.strictObject({ entity_external_id: name, name, properties })

export const batchSchema = z.strictObject({
  items: z
    .array(eventSchema.extend({ op: z.literal('record_event') }))
    .min(1)
    .max(1_000),
})

/** `/entities/:id` */
export const pathSchema = z.strictObject({ id: name })

export interface RecordedEvent {
  readonly id: string
  readonly entity_external_id: string
  readonly name: string
  readonly properties: Record<string, unknown>
  readonly timestamp: string
}

/** The form of the product's replies. */
export function success(data: object) {
  return { status: 'success', data }
}
