import { z } from 'zod'
import type { JsonObject } from '../../domain/json.js'
import { maxNameLength } from '../../domain/name.js'
import { maxNesting, maxKeyLength, maxMembers } from '../../domain/properties.js'
import { keyFormat } from './fact-limits.js'

/**
 * The wire form of facts: what stores keep and other services read. The schemas of `docs/facts` are
 * made from these forms. They are released: a change to one is a new `schemaVersion`, with an upcast
 * in `fact-format.ts` and a schema beside the old one.
 *
 * Reading checks the shape. The rules of the values are published with it (`meta`) but not checked
 * again: a fact that was stored stays readable, whatever later rules say of new ones.
 */
export const schemaVersion = 1

/** A request's id: kept with each fact that the request caused. */
export const requestIdFormat = /^[A-Za-z0-9._-]{1,128}$/

/** The white space that `trim` removes and that is no control character: the form cannot say `trim`. */
const space = ' \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff'

/** The rule of `nameViolations`, but for halves of surrogate pairs, which JSON Schema cannot name. */
function name(description: string) {
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

function time(description: string) {
  return z.iso.datetime({ precision: 3 }).meta({
    description,
    pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}[.][0-9]{3}Z$',
  })
}

const key = { type: 'string', minLength: 1, maxLength: maxKeyLength }

/** The members of an object so many levels down; the object `properties` is level 1. */
function membersOf(level: number) {
  return {
    propertyNames: key,
    additionalProperties: { $ref: `#/$defs/valueAtLevel${String(level)}` },
  }
}

/** The rule of `propertyViolations` for a value inside an object or array of this level. */
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

/** JSON Schemas that the forms of data refer to. */
export const valueDefinitions: Readonly<Record<string, object>> = Object.fromEntries(
  Array.from({ length: maxNesting }, (_, at) => [`valueAtLevel${String(at + 1)}`, valueAt(at + 1)]),
)

const properties = z
  .custom<JsonObject>(
    (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  )
  .meta({
    type: 'object',
    description: 'What the caller sent, as the same JSON value; {} when nothing was sent.',
    maxProperties: maxMembers,
    ...membersOf(1),
  })

export const entityCreatedData = z
  .object({
    externalId: name("The caller's name for the customer or user; exact, never normalised."),
    properties,
    createdAt: time('When it was created: UTC, milliseconds.'),
  })
  .meta({
    title: 'EntityCreated',
    description: 'A customer or user became known. The first fact of its stream.',
  })

export const eventRecordedData = z
  .object({
    entityExternalId: name('The externalId of the entity that the event is about.'),
    name: name('What happened.'),
    properties,
    recordedAt: time('When it was recorded: UTC, milliseconds.'),
  })
  .meta({
    title: 'EventRecorded',
    description: "An event was recorded about an entity. The fact's id is the event's id.",
  })

export const factMetadata = z
  .object({
    schemaVersion: z.literal(schemaVersion).meta({
      type: 'integer',
      description: 'The version of the form of this fact, counted for each type.',
    }),
    $correlationId: z.string().meta({
      description: 'The id of the request that the fact goes back to.',
      pattern: requestIdFormat.source,
    }),
    $causationId: z
      .string()
      .meta({
        description:
          'The id of the fact that caused this one. Absent when the request itself caused it.',
      })
      .optional(),
    idempotencyKey: z
      .string()
      .meta({
        description: 'SHA-256, in hex, of the command, a space and the Idempotency-Key.',
        pattern: keyFormat.source,
      })
      .optional(),
  })
  .meta({ title: 'Metadata', description: 'What goes with a fact, whatever its type.' })

/** The data of each type of fact. */
export const factSchemas = { EntityCreated: entityCreatedData, EventRecorded: eventRecordedData }

export type FactData = z.input<typeof entityCreatedData> | z.input<typeof eventRecordedData>
