import { JsonText } from '../../../domain/json-text.js'

/** Strings that are written as they are: without quotes, backslashes and control characters. */
const plain = /^[ !#-[\]-~]{0,64}$/

/**
 * What `JSON.stringify` writes of plain objects, lists, strings, numbers, booleans and null; a `JsonText` as
 * it is. Members that are undefined are left out.
 */
export function jsonOf(value: unknown): string {
  if (typeof value === 'string') return quoted(value)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (value instanceof JsonText) return value.text
  return Array.isArray(value) ? listOf(value) : membersOf(Object.entries(value))
}

function listOf(items: readonly unknown[]): string {
  let text = ''
  for (const item of items) text += text === '' ? jsonOf(item) : `,${jsonOf(item)}`
  return `[${text}]`
}

function membersOf(members: readonly (readonly [string, unknown])[]): string {
  let text = ''
  for (const [name, value] of members) {
    if (value === undefined) continue
    const member = `${quoted(name)}:${jsonOf(value)}`
    text += text === '' ? member : `,${member}`
  }
  return `{${text}}`
}

function quoted(text: string): string {
  return plain.test(text) ? `"${text}"` : JSON.stringify(text)
}
