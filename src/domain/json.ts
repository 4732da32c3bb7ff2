export type Json = null | boolean | number | string | readonly Json[] | JsonObject

export interface JsonObject {
  readonly [member: string]: Json
}

export function isJsonArray(value: Json): value is readonly Json[] {
  return Array.isArray(value)
}

/** Returns whether two JSON values are equal. The order of members does not matter, and 0 equals -0. */
export function sameJson(left: Json, right: Json): boolean {
  if (left === right) return true
  if (left === null || right === null) return false
  if (typeof left !== 'object' || typeof right !== 'object') return false
  if (isJsonArray(left)) {
    return (
      isJsonArray(right) &&
      left.length === right.length &&
      left.every((item, index) => sameJson(item, right[index] ?? null))
    )
  }
  return !isJsonArray(right) && sameMembers(left, right)
}

function sameMembers(left: JsonObject, right: JsonObject): boolean {
  const members = Object.entries(left)
  return (
    members.length === Object.keys(right).length &&
    members.every(([name, value]) => {
      const other = Object.hasOwn(right, name) ? right[name] : undefined
      return other !== undefined && sameJson(value, other)
    })
  )
}

/** Returns a JSON text with sorted members, so that equal JSON values have equal texts. */
export function canonicalText(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(',')}]`
  const members: [string, unknown][] = Object.entries(value)
  members.sort(([left], [right]) => (left < right ? -1 : 1))
  const texts = members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalText(member)}`)
  return `{${texts.join(',')}}`
}

/** A JSON object as text, for code that passes the object on without reading it. */
export class JsonText {
  constructor(readonly text: string) {}

  static of(value: object): JsonText {
    return new JsonText(JSON.stringify(value))
  }

  /** The parsed object. Each access parses the text again. */
  get value(): JsonObject {
    const value: unknown = JSON.parse(this.text)
    if (!isJsonObject(value)) throw new TypeError('expected a JSON object')
    return value
  }

  toJSON(): JsonObject {
    return this.value
  }
}

/** Returns whether a parsed JSON value is an object. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
