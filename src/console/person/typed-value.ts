import type { Properties } from '../../client/dossier.js'

export type JsonValue = Properties[string]

/** The type of a property's value. An editor keeps this type. */
export type ValueKind = 'text' | 'number' | 'true or false' | 'JSON'

export const valueKinds: readonly ValueKind[] = ['text', 'number', 'true or false', 'JSON']

export function kindOf(value: unknown): ValueKind {
  if (typeof value === 'string') return 'text'
  if (typeof value === 'number') return 'number'
  return typeof value === 'boolean' ? 'true or false' : 'JSON'
}

/** Returns the text of a value for the input field of its kind. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Parses a typed text as a value of a kind. Returns the fault of an invalid text. */
export function valueOfText(
  kind: ValueKind,
  text: string,
): { readonly value: JsonValue } | { readonly wrong: string } {
  if (kind === 'text') return { value: text }
  if (kind === 'true or false') return { value: text === 'true' }
  if (kind === 'number') {
    const isNumber = text.trim() !== '' && Number.isFinite(Number(text))
    return isNumber ? { value: Number(text) } : { wrong: 'This is not a number.' }
  }
  try {
    return { value: JSON.parse(text) as JsonValue }
  } catch {
    return {
      wrong: 'This is not JSON. Write null, a list like [1, 2], or an object like {"a": 1}.',
    }
  }
}
