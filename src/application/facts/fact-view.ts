import { z } from 'zod'
import { factTable } from './fact-table.js'
import { isJsonArray, isJsonObject, JsonText, type Json } from '../../domain/json.js'

// Converts member names. Stored facts have camelCase members, and the HTTP API has snake_case members. The functions in
// this file compute the HTTP name of each stored member that a schema declares. The members of values from callers
// (`properties`, `set`, rules) keep their names.

/** The HTTP names of an object's members. An undefined view leaves the value unchanged. */
interface View {
  readonly members: ReadonlyMap<string, { readonly name: string; readonly view: View | undefined }>
}

interface Viewed<Schema extends z.ZodType = z.ZodType> {
  readonly schema: Schema
  readonly view: View | undefined
}

/**
 * Returns the schema of a stored value over HTTP, and its view. Throws a `TypeError` for a type of schema that
 * this function does not know. Otherwise a member could keep its stored name unnoticed.
 */
export function viewOf(schema: z.ZodType): Viewed {
  if (schema instanceof z.ZodObject) return viewOfObject(schema)
  if (schema instanceof z.ZodArray) {
    const { schema: element, view } = viewOf(asType(schema.element))
    return { schema: described(z.array(element), schema), view }
  }
  if (schema instanceof z.ZodOptional) {
    const { schema: inner, view } = viewOf(asType(schema.unwrap()))
    return { schema: described(inner.optional(), schema), view }
  }
  if (schema instanceof z.ZodExactOptional) {
    const { schema: inner, view } = viewOf(asType(schema.unwrap()))
    return { schema: described(inner.exactOptional(), schema), view }
  }
  if (schema instanceof z.ZodNullable) {
    const { schema: inner, view } = viewOf(asType(schema.unwrap()))
    return { schema: described(inner.nullable(), schema), view }
  }
  if (!isLeaf(schema)) {
    throw new TypeError(
      `a fact has a schema of the type ${schema.type}, whose members get no HTTP name`,
    )
  }
  return { schema, view: undefined }
}

/**
 * The types of schemas whose values keep their member names. Values of the type `custom` come from callers, who
 * choose the names of the members. The keys of a `record` are names of segments or types.
 */
const leafTypes = new Set(['string', 'number', 'boolean', 'enum', 'literal', 'null', 'custom'])

function isLeaf(schema: z.ZodType): boolean {
  if (schema instanceof z.ZodRecord) return isLeaf(asType(schema.valueType))
  return leafTypes.has(schema.type)
}

function viewOfObject(schema: z.ZodObject): Viewed<z.ZodObject> {
  const shape: Readonly<Record<string, z.core.$ZodType>> = schema.shape
  const members = Object.entries(shape).map(([stored, member]) => {
    const viewed = viewOf(asType(member))
    return { stored, name: snakeCase(stored), ...viewed }
  })
  const viewedShape = Object.fromEntries(members.map(({ name, schema: member }) => [name, member]))
  return {
    schema: described(z.object(viewedShape), schema),
    view: { members: new Map(members.map(({ stored, name, view }) => [stored, { name, view }])) },
  }
}

function asType(schema: z.core.$ZodType): z.ZodType {
  if (schema instanceof z.ZodType) return schema
  throw new TypeError('expected a schema of zod')
}

function described<Schema extends z.ZodType>(schema: Schema, like: z.ZodType): Schema {
  const meta = like.meta()
  return meta === undefined ? schema : schema.meta(meta)
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** Returns a value with its HTTP names. */
export function renamed(value: Json, view: View | undefined): Json {
  if (view === undefined) return value
  if (isJsonObject(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([stored, member]) => {
        const { name = stored, view: inner } = view.members.get(stored) ?? {}
        return [name, renamed(member, inner)]
      }),
    )
  }
  return isJsonArray(value) ? value.map((item) => renamed(item, view)) : value
}

const views = new Map<string, Viewed<z.ZodObject>>(
  Object.values(factTable).map(({ type, schema }) => {
    const stored: z.ZodType = schema
    if (!(stored instanceof z.ZodObject)) throw new TypeError(`${type} has no object as its data`)
    return [type, viewOfObject(stored)]
  }),
)

/** Returns the schema of a fact's data over HTTP. */
export function factDataSchema(type: string): z.ZodObject {
  const viewed = views.get(type)
  if (viewed === undefined) throw new TypeError(`there is no fact ${type}`)
  return viewed.schema
}

/** Returns the data of a fact with its HTTP names. */
export function factDataOf(type: string, stored: JsonText): JsonText {
  const data = renamed(stored.value, views.get(type)?.view)
  return new JsonText(JSON.stringify(data))
}
