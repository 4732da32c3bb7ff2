import { isJsonArray, type Json, type JsonObject } from './json.js'

/** The types of a JSON value. A type is stored as its index in this list, so the order must not change. */
export const propertyTypes = ['string', 'number', 'boolean', 'null', 'object', 'array'] as const

export type PropertyType = (typeof propertyTypes)[number]

/** A JSON pointer to a property, and the index of its type in `propertyTypes`. */
export interface TypedPointer {
  readonly pointer: string
  readonly type: number
}

/** The maximum number of pointers that are counted in one event, or in one property of a profile. */
export const maxPointers = 200
/** The maximum number of steps in a counted pointer. `/address/city` has two steps. */
const maxSteps = 3

/** The indexes of the types in `propertyTypes`. Values of the types up to `ofNull` have no members. */
export const ofString = 0
export const ofNumber = 1
export const ofBoolean = 2
export const ofNull = 3
const ofObject = 4
const ofArray = 5

export function propertyTypeOf(value: Json): number {
  switch (typeof value) {
    case 'string':
      return ofString
    case 'number':
      return ofNumber
    case 'boolean':
      return ofBoolean
    default:
      if (value === null) return ofNull
      return isJsonArray(value) ? ofArray : ofObject
  }
}

/**
 * Returns the pointers to the members of an object and to members of nested objects, up to three steps and up
 * to `maxPointers`, in the order of the members. Items of arrays are not counted. The result contains one
 * pointer more than `maxPointers` if pointers were left out. The result depends on the object alone.
 */
export function pointersIn(properties: JsonObject): readonly TypedPointer[] {
  const found: TypedPointer[] = []
  addMembers(found, '', properties, 1)
  return found
}

/** Returns the pointers to one property of a profile, in the form of `pointersIn`. */
export function pointersOf(name: string, value: Json): readonly TypedPointer[] {
  const found: TypedPointer[] = []
  addValue(found, stepText(name), value, 1)
  return found
}

function addMembers(found: TypedPointer[], parent: string, object: JsonObject, steps: number) {
  for (const name in object) {
    if (found.length > maxPointers) return
    const value = Object.hasOwn(object, name) ? object[name] : undefined
    if (value !== undefined) addValue(found, parent + stepText(name), value, steps)
  }
}

function addValue(found: TypedPointer[], pointer: string, value: Json, steps: number): void {
  found.push({ pointer, type: propertyTypeOf(value) })
  const isObject = typeof value === 'object' && value !== null && !isJsonArray(value)
  if (isObject && steps < maxSteps) addMembers(found, pointer, value, steps + 1)
}

/** Returns a name as one step of a JSON pointer, such as `/city`. */
export function stepText(name: string): string {
  return `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
}
