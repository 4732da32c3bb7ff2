import { z } from 'zod'
import { factTable, type FactName } from '../../src/application/facts/fact-table.js'
import { metadataSchema as metadata } from '../../src/application/facts/metadata.js'
import { valueDefinitions } from '../../src/application/facts/value-schemas.js'

/** The JSON Schema of one version of a type's data. */
export interface PublishedVersion {
  readonly type: FactName
  readonly version: number
  readonly schema: object
}

/**
 * The schemas of every version of every type. They allow additional members, because readers must tolerate them.
 */
export const publishedVersions: readonly PublishedVersion[] = Object.values(factTable).flatMap(
  ({ type, summary, schemas }) =>
    schemas.map((schema, at) => ({
      type,
      version: at + 1,
      schema: jsonSchema(schema.meta({ title: type, description: summary })),
    })),
)

export const metadataSchema = jsonSchema(metadata)

/** Returns a schema as a self-contained file, with the definitions that it refers to. */
export function standalone(schema: object): object {
  const refers = JSON.stringify(schema).includes('"#/$defs/')
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    ...schema,
    ...(refers ? { $defs: valueDefinitions } : {}),
  }
}

function jsonSchema(schema: z.ZodType): object {
  const { $schema: _, ...made } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
  return made
}
