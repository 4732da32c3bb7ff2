export type Json = null | boolean | number | string | readonly Json[] | JsonObject

export interface JsonObject {
  readonly [member: string]: Json
}

export function isJsonArray(value: Json): value is readonly Json[] {
  return Array.isArray(value)
}

/** Equal as JSON values: the order of members does not count, 0 and -0 are one number. */
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

/** JSON text that is the same for values that are equal as JSON: the order of members does not count. */
export function canonicalText(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(',')}]`
  const members: [string, unknown][] = Object.entries(value)
  members.sort(([left], [right]) => (left < right ? -1 : 1))
  const texts = members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalText(member)}`)
  return `{${texts.join(',')}}`
}

/** A JSON object as its text: whoever only hands it on need not parse it. */
export class JsonText {
  constructor(readonly text: string) {}

  static of(value: object): JsonText {
    return new JsonText(JSON.stringify(value))
  }

  /** Parsed anew each time. */
  get value(): JsonObject {
    const value: unknown = JSON.parse(this.text)
    if (!isJsonObject(value)) throw new TypeError('expected a JSON object')
    return value
  }

  toJSON(): JsonObject {
    return this.value
  }
}

/** Whether what a JSON parser returned is an object. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
