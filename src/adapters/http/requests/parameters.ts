import { z } from 'zod'
import { parseDayOrInstant, parseInstant } from '../../../domain/instant.js'
import { maxNameLength, nameViolations } from '../../../domain/name.js'
import { isPointer } from '../../../domain/segments/rule/pointer.js'
import { keeping, textAs, wholeNumber } from '../schemas/common.js'

const defaultLimit = 100

// `override` sets the JSON Schema, because zod omits defaults and examples of transformed text.
export const limit = z
  .preprocess(numberIn, wholeNumber(1, 1_000))
  .default(defaultLimit)
  .meta({
    description:
      'The maximum number of items on a page. A page can have fewer items even if more items ' +
      'follow.',
    override: { default: defaultLimit },
  })

/**
 * Converts text of digits to a number. Returns any other text unchanged, so that the schema refuses
 * it.
 */
function numberIn(text: unknown): unknown {
  return typeof text === 'string' && /^-?[0-9]{1,15}$/.test(text) ? Number(text) : text
}

export const cursor = z
  .string()
  .optional()
  .meta({
    description:
      'The `next_cursor` of the previous page. All other parameters must be the same as for that ' +
      'page.',
  })

const time = 'date and time of RFC 3339 with an offset; "+" is "%2B" in a URL'

/** A schema for an instant. The result is in milliseconds since 1970. */
export function instant(description: string) {
  return textAs((text) => parseInstant(text)?.getTime(), 'not_a_time', `must be a ${time}`)
    .optional()
    .meta({
      description: `${description} RFC 3339 with an offset. Write "+" as "%2B" in a URL.`,
      format: 'date-time',
    })
}

/**
 * A schema for an instant or a day. A day means midnight UTC. The result is in milliseconds since
 * 1970.
 */
export function dayOrInstant(description: string) {
  const message = `must be a day, YYYY-MM-DD, or a ${time}`
  return textAs((text) => parseDayOrInstant(text)?.getTime(), 'not_a_time', message)
    .optional()
    .meta({
      description: `${description} YYYY-MM-DD, or RFC 3339 with an offset. Write "+" as "%2B" in a URL.`,
    })
}

export function named(description: string) {
  return z
    .string()
    .check(keeping(nameViolations))
    .optional()
    .meta({ description, minLength: 1, maxLength: maxNameLength })
}

/** A schema for up to `most` JSON pointers, separated by commas. */
export function pointers(description: string, most: number) {
  const read = (text: string) => {
    const parts = text.split(',')
    return parts.length <= most && parts.every(isPointer) ? parts : undefined
  }
  const message = `must be 1 to ${String(most)} JSON pointers like /email, separated by commas`
  return textAs(read, 'bad_characters', message)
    .optional()
    .meta({
      description: `${description} JSON pointers, separated by commas. A pointer cannot contain a comma.`,
      override: { examples: ['/email,/address/city'] },
    })
}
