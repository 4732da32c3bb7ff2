import type { InPieces } from '../../../domain/in-pieces.js'
import { JsonText } from '../../../domain/json.js'

/** Matches short strings that need no escaping in JSON. */
const plain = /^[ !#-[\]-~]{0,64}$/

/** Serialises a value like `JSON.stringify`, but copies a `JsonText` verbatim. */
export function jsonOf(value: unknown): string {
  if (typeof value === 'string') return quoted(value)
  if (value instanceof JsonText) return value.text
  if (isList(value)) return listOf(value)
  return isObject(value) ? membersOf(value) : JSON.stringify(value)
}

/** Serialises an object in pieces. Yields after each item of its lists. */
export function* jsonInPieces(data: object): InPieces<string> {
  const members: string[] = []
  for (const [name, value] of Object.entries(data)) {
    if (value === undefined) continue
    const text = isList(value) ? yield* listInPieces(value) : jsonOf(value)
    members.push(`${quoted(name)}:${text}`)
  }
  return `{${members.join(',')}}`
}

function* listInPieces(items: readonly unknown[]): InPieces<string> {
  const texts: string[] = []
  for (const item of items) {
    texts.push(jsonOf(item))
    yield
  }
  return `[${texts.join(',')}]`
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value)
}

function listOf(items: readonly unknown[]): string {
  let text = ''
  for (const item of items) text += text === '' ? jsonOf(item) : `,${jsonOf(item)}`
  return `[${text}]`
}

/**
 * Serialises the members of an object. Uses `Object.keys`, because `Object.entries` allocates a
 * list per member, which doubled the time.
 */
function membersOf(members: Readonly<Record<string, unknown>>): string {
  let text = ''
  for (const name of Object.keys(members)) {
    const value = members[name]
    if (value === undefined) continue
    const member = `${quoted(name)}:${jsonOf(value)}`
    text += text === '' ? member : `,${member}`
  }
  return `{${text}}`
}

function quoted(text: string): string {
  return plain.test(text) ? `"${text}"` : JSON.stringify(text)
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
