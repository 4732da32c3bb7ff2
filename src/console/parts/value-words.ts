import type { Properties } from '../../client/dossier.js'
import { grouped } from './numbers.js'
import { cut, visible } from './visible.js'

/** A property in one line. Both texts are short, and everything in them can be seen. */
export interface ValueWord {
  readonly name: string
  readonly text: string
}

const namesAtMost = 6
const textAtMost = 60

/** Some values of an object for one line: `total 754.16`. Nested values are `{…}`. */
export function valueWords(properties: Properties): readonly ValueWord[] {
  return Object.entries(properties)
    .slice(0, namesAtMost)
    .map(([name, value]) => ({ name: short(name), text: short(plainText(value)) }))
}

/** A value as a person writes it: a text without quotes, a number in groups. */
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
