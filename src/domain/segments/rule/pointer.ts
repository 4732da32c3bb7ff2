import { isJsonArray, type Json, type JsonObject } from '../../json.js'

const pattern = /^(?:\/(?:[^~/]|~[01])*)+$/
const index = /^(?:0|[1-9]\d*)$/

/** Returns whether a text is a JSON Pointer (RFC 6901) such as `/address/city`. The empty pointer is excluded. */
export function isPointer(text: string): boolean {
  return pattern.test(text)
}

/** Splits a pointer into steps. The first step is a top-level property name. */
export function parsePointer(pointer: string): readonly string[] {
  return pointer
    .slice(1)
    .split('/')
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** Returns the value at the steps, or undefined when there is none. */
export function valueAt(object: Json | undefined, steps: readonly string[]): Json | undefined {
  let value = object
  for (const step of steps) {
    if (typeof value !== 'object' || value === null) return undefined
    value = isJsonArray(value) ? itemAt(value, step) : memberOf(value, step)
  }
  return value
}

/** Works like `valueAt`, for properties in a map by top-level name. */
export function propertyAt(
  properties: ReadonlyMap<string, Json>,
  steps: readonly string[],
): Json | undefined {
  const [name = '', ...inside] = steps
  return valueAt(properties.get(name), inside)
}

function itemAt(list: readonly Json[], step: string): Json | undefined {
  return index.test(step) ? list[Number(step)] : undefined
}

function memberOf(object: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined
}
