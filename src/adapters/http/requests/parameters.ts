import { parseDayOrInstant, parseInstant } from '../../../domain/instant.js'
import { maxNameLength, nameViolations } from '../../../domain/name.js'
import { isPointer } from '../../../domain/segments/rule/pointer.js'
import type { Parameter } from './query.js'

/** The parameters that several reads take. */

const maxLimit = 1_000
export const defaultLimit = 100

export const limit: Parameter<number> = {
  name: 'limit',
  description: 'How many at most. There may be fewer, and yet more after them.',
  schema: { type: 'integer', minimum: 1, maximum: maxLimit, default: defaultLimit },
  form: `a whole number from 1 to ${String(maxLimit)}`,
  parse: (text) => {
    const value = /^[0-9]{1,4}$/.test(text) ? Number(text) : 0
    return value >= 1 && value <= maxLimit ? value : undefined
  },
}

export const cursor: Parameter<string> = {
  name: 'cursor',
  description: 'The `next_cursor` of the page before, with the same other parameters.',
  schema: { type: 'string' },
  form: 'a cursor',
  parse: (text) => text,
}

export function instant(name: string, description: string): Parameter<Date> {
  return {
    name,
    description: `${description} RFC 3339 with an offset, whose "+" is "%2B" in a URL.`,
    schema: { type: 'string', format: 'date-time' },
    form: 'a date and time of RFC 3339 with an offset; "+" is "%2B" in a URL',
    parse: parseInstant,
  }
}

/** The same, or a day, which is its midnight in UTC. */
export function dayOrInstant(name: string, description: string): Parameter<Date> {
  return {
    name,
    description: `${description} YYYY-MM-DD, or RFC 3339 with an offset, whose "+" is "%2B" in a URL.`,
    schema: { type: 'string' },
    form: 'a day, YYYY-MM-DD, or a date and time of RFC 3339 with an offset; "+" is "%2B" in a URL',
    parse: parseDayOrInstant,
  }
}

export function named(name: string, description: string): Parameter<string> {
  return {
    name,
    description,
    schema: { type: 'string', minLength: 1, maxLength: maxNameLength },
    form: 'a name that there can be',
    parse: (text) => (nameViolations(text).length === 0 ? text : undefined),
  }
}

/** JSON pointers with commas between, at most `most` of them. */
export function pointers(
  name: string,
  description: string,
  most: number,
): Parameter<readonly string[]> {
  return {
    name,
    description: `${description} JSON pointers with commas between; one to a name with a comma cannot be sent.`,
    schema: { type: 'string', examples: ['/email,/address/city'] },
    form: `1 to ${String(most)} JSON pointers like /email, with commas between`,
    parse: (text) => {
      const parts = text.split(',')
      return parts.length <= most && parts.every(isPointer) ? parts : undefined
    },
  }
}

export function oneOf<Word extends string>(
  name: string,
  description: string,
  words: readonly [Word, ...Word[]],
): Parameter<Word> {
  return {
    name,
    description,
    schema: { type: 'string', enum: words, default: words[0] },
    form: words.map((word) => `"${word}"`).join(' or '),
    parse: (text) => words.find((word) => word === text),
  }
}
