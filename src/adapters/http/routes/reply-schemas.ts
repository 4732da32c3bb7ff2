import { z } from 'zod'

/** The forms of what we answer: the source of the OpenAPI document and of the types below. */

const properties = z
  .custom<object>()
  .meta({ type: 'object', description: 'What was sent, as the same JSON value.' })

const timestamp = z.iso
  .datetime({ precision: 3 })
  .meta({ description: 'UTC with milliseconds.', examples: ['2026-11-20T09:30:00.000Z'] })

export const entityReply = z.strictObject({
  status: z.literal('success'),
  data: z.strictObject({ external_id: z.string(), properties, created_at: timestamp }),
})

export const eventReply = z.strictObject({
  status: z.literal('success'),
  data: z.strictObject({
    id: z.uuid().meta({ description: "The event's id, which is its fact's id." }),
    entity_external_id: z.string(),
    name: z.string(),
    properties,
    timestamp,
  }),
})

export const healthReply = z.strictObject({
  status: z.literal('success'),
  data: z.strictObject({ health: z.enum(['live', 'ready']) }),
})

export const detailCodes = [
  'required',
  'wrong_type',
  'empty',
  'too_long',
  'too_many',
  'too_deep',
  'unknown_field',
  'bad_characters',
  'ill_formed',
  'number_out_of_range',
] as const

export const faultCodes = [
  'malformed_json',
  'malformed_request',
  'unauthenticated',
  'forbidden',
  'entity_not_found',
  'route_not_found',
  'method_not_allowed',
  'request_timeout',
  'entity_exists',
  'body_too_large',
  'unsupported_media_type',
  'validation_failed',
  'idempotency_key_reused',
  'rate_limited',
  'headers_too_large',
  'internal_error',
  'store_unavailable',
  'overloaded',
  'shutting_down',
  'outcome_unknown',
] as const

export const faultReply = z.strictObject({
  status: z.literal('error'),
  error: z.strictObject({
    code: z.enum(faultCodes).meta({ description: 'For programs. Stable.' }),
    message: z.string().meta({ description: 'For people: what to do.' }),
    details: z
      .array(
        z.strictObject({
          path: z.string().meta({ description: 'A JSON Pointer into the body; "" is the body.' }),
          code: z.enum(detailCodes),
          message: z.string(),
        }),
      )
      .max(100),
    request_id: z.string(),
  }),
})

export type FaultCode = (typeof faultCodes)[number]
export type Detail = z.infer<typeof faultReply>['error']['details'][number]
