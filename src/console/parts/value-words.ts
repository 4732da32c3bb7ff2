import type { Properties } from '../../client/dossier.js'
import { grouped } from './numbers.js'
import { cut, visible } from './visible.js'

/** A property as short text for one line. Invisible characters are replaced by visible signs. */
export interface ValueWord {
  readonly name: string
  readonly text: string
}

const namesAtMost = 6
const textAtMost = 60

/** Returns some values of an object for one line: `total 754.16`. A nested value becomes `{…}`. */
export function valueWords(properties: Properties): readonly ValueWord[] {
  return Object.entries(properties)
    .slice(0, namesAtMost)
    .map(([name, value]) => ({ name: short(name), text: short(plainText(value)) }))
}

/** Returns a value as a person would write it: a text without quotes, a number with groups of digits. */
export function plainText(value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number') return grouped(value)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  return Array.isArray(value) ? `[${String(value.length)}]` : '{…}'
}

function short(text: string): string {
  const { shown, rest } = cut(text, textAtMost)
  return visible(rest > 0 ? `${shown}…` : shown)
}
