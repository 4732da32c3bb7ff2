import { z } from 'zod'
import {
  factSchemas,
  factMetadata,
  valueDefinitions,
} from '../../src/application/facts/fact-schemas.js'

/** The JSON Schemas of the facts. Members that they do not name are allowed: readers are tolerant. */
export const dataSchemas = {
  EntityCreated: jsonSchema(factSchemas.EntityCreated),
  EventRecorded: jsonSchema(factSchemas.EventRecorded),
}
export const metadataSchema = jsonSchema(factMetadata)

/** A schema as a file of its own, with what it refers to. */
export function standalone(schema: object): object {
  const refers = JSON.stringify(schema).includes('"#/$defs/')
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    ...schema,
    ...(refers ? { $defs: valueDefinitions } : {}),
  }
}

function jsonSchema(form: z.ZodType): object {
  const { $schema: _, ...schema } = z.toJSONSchema(form, { io: 'input', unrepresentable: 'any' })
  return schema
}
