import type { JsonObject } from './json.js'

/** A JSON object as its text: whoever only hands it on need not parse it. */
export class JsonText {
  constructor(readonly text: string) {}

  static of(value: object): JsonText {
    return new JsonText(JSON.stringify(value))
  }

  /** Parsed anew each time. */
  get value(): JsonObject {
    const value: unknown = JSON.parse(this.text)
    if (!isObject(value)) throw new TypeError('expected a JSON object')
    return value
  }

  toJSON(): JsonObject {
    return this.value
  }
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
