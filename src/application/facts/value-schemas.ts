import { z } from 'zod'
import { isJsonObject, type JsonObject } from '../../domain/json.js'
import { maxNameLength } from '../../domain/name.js'
import { maxKeyLength, maxMembers, maxNesting } from '../../domain/properties.js'
import { segmentKeyFormat } from '../../domain/segments/segment-facts.js'

/**
 * Schemas of the values in facts. Reading a fact checks only the types of values. The rules for values are
 * published in `meta`, but are not checked again. A stored fact therefore stays readable when a later release
 * has stricter rules.
 */

/**
 * The white space that `trim` removes, except control characters. Listed here because a JSON Schema pattern
 * cannot refer to `trim`.
 */
const space = ' \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff'

/**
 * Returns the schema of a name. It has the rules of `nameViolations`, except the rule about lone surrogates,
 * which JSON Schema cannot express.
 */
export function name(description: string) {
  return z.string().meta({
    description,
    minLength: 1,
    maxLength: maxNameLength,
    not: {
      anyOf: [
        { enum: ['.', '..'] },
        { pattern: String.raw`[\x00-\x1f\x7f-\x9f]` },
        { pattern: `^[${space}]` },
        { pattern: `[${space}]$` },
      ],
    },
  })
}

export function time(description: string) {
  return z.iso.datetime({ precision: 3 }).meta({
    description,
    pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}[.][0-9]{3}Z$',
  })
}

const key = { type: 'string' as const, minLength: 1, maxLength: maxKeyLength }

/** Returns the schema of an object's members at a nesting level. The object `properties` is at level 1. */
function membersOf(level: number) {
  return {
    propertyNames: key,
    additionalProperties: { $ref: `#/$defs/valueAtLevel${String(level)}` },
  }
}

/** Returns the schema of a value in an object or array at a nesting level, with the rules of `propertyViolations`. */
function valueAt(level: number) {
  const scalars = {
    type: ['null', 'boolean', 'number', 'string'],
    minimum: Number.MIN_SAFE_INTEGER,
    maximum: Number.MAX_SAFE_INTEGER,
  }
  if (level === maxNesting) return scalars
  const { propertyNames, additionalProperties } = membersOf(level + 1)
  return {
    ...scalars,
    type: [...scalars.type, 'array', 'object'],
    items: additionalProperties,
    propertyNames,
    additionalProperties,
  }
}

/** The JSON Schemas that the schemas of several facts refer to. */
export const valueDefinitions: Readonly<Record<string, object>> = Object.fromEntries(
  Array.from({ length: maxNesting }, (_, at) => [`valueAtLevel${String(at + 1)}`, valueAt(at + 1)]),
)

export function properties(description: string) {
  return z
    .custom<JsonObject>(isJsonObject)
    .meta({ type: 'object', description, maxProperties: maxMembers, ...membersOf(1) })
}

export function segmentKey(description: string) {
  return z.string().meta({ description, pattern: segmentKeyFormat.source })
}

/** Returns the schema of a JSON object with any members. */
export function anyObject(description: string) {
  return z
    .custom<JsonObject>(isJsonObject)
    .meta({ type: 'object', description, additionalProperties: true })
}

export function propertyNames(description: string) {
  return z.array(z.string().meta(key)).meta({ description, maxItems: maxMembers })
}
