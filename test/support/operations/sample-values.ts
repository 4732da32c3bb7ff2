import type { Schema } from './json-schema.js'

const texts = ['x', '1', 'a'.repeat(64), '2026-11-20T09:30:00.000Z']

/**
 * A value that keeps the rules of a schema: its first example, else the smallest one. Throws for a pattern
 * that none of the texts here has: the schema needs an example then.
 */
export function sampleOf(schema: Schema): unknown {
  const example = schema.examples?.[0] ?? schema.const ?? schema.enum?.[0]
  if (example !== undefined) return example
  if (schema.oneOf?.[0] !== undefined) return sampleOf(schema.oneOf[0])
  switch ([schema.type ?? 'object'].flat()[0]) {
    case 'boolean':
      return true
    case 'integer':
      return schema.minimum ?? 1
    case 'array':
      return Array.from({ length: schema.minItems ?? 0 }, () => sampleOf(schema.items ?? {}))
    case 'string':
      return sampleText(schema)
    default: {
      const { properties = {}, required = [] } = schema
      return Object.fromEntries(required.map((name) => [name, sampleOf(properties[name] ?? {})]))
    }
  }
}

function sampleText({ format, pattern = '' }: Schema): string {
  const isTime = format === 'date-time'
  const isId = format === 'uuid'
  if (isId) return '00000000-0000-4000-8000-000000000000'
  const found = texts.find((text) => new RegExp(pattern).test(text) && (!isTime || text.includes('T')))
  if (found === undefined) throw new Error(`give the schema of ${pattern} an example`)
  return found
}
