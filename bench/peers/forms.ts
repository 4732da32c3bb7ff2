import { z } from 'zod'

/** The formats of the product's requests, without its rules for values. */

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

/** The path parameters of `/entities/:id`. */
export const pathSchema = z.strictObject({ id: name })

export interface RecordedEvent {
  readonly id: string
  readonly entity_external_id: string
  readonly name: string
  readonly properties: Record<string, unknown>
  readonly timestamp: string
}

/** Returns a reply in the product's format. */
export function success(data: object) {
  return { status: 'success', data }
}
