import type { Schema } from './json-schema.js'

const texts = ['x', '1', 'a'.repeat(64), '2026-11-20T09:30:00.000Z']

/**
 * Returns a value that keeps the rules of a schema: its first example, otherwise the smallest value. Throws when no
 * known text matches a pattern. The schema then needs an example.
 */
export function sampleOf(schema: Schema): unknown {
  const { examples = [], oneOf = [] } = schema
  const given = [...examples, schema.const, ...(schema.enum ?? [])].find((one) => one !== undefined)
  if (given !== undefined) return given
  const [first] = oneOf
  return first === undefined ? smallestOf(schema) : sampleOf(first)
}

function smallestOf(schema: Schema): unknown {
  switch ([schema.type ?? 'object'].flat()[0]) {
    case 'boolean':
      return true
    case 'integer':
      return schema.minimum ?? 1
    case 'array':
      return smallestList(schema)
    case 'string':
      return sampleText(schema)
    default:
      return smallestObject(schema)
  }
}

function smallestList({ items = {}, minItems = 0 }: Schema) {
  return Array.from({ length: minItems }, () => sampleOf(items))
}

function smallestObject({ properties = {}, required = [] }: Schema) {
  return Object.fromEntries(required.map((name) => [name, sampleOf(properties[name] ?? {})]))
}

/** Like `sampleOf`, for a schema of an object. */
export function sampleObject(schema: Schema): Readonly<Record<string, unknown>> {
  const sample = sampleOf(schema)
  return typeof sample === 'object' && sample !== null ? { ...sample } : {}
}

function sampleText({ format, pattern = '' }: Schema): string {
  const isTime = format === 'date-time'
  const isId = format === 'uuid'
  if (isId) return '00000000-0000-4000-8000-000000000000'
  const found = texts.find(
    (text) => new RegExp(pattern).test(text) && (!isTime || text.includes('T')),
  )
  if (found === undefined) throw new Error(`give the schema of ${pattern} an example`)
  return found
}
