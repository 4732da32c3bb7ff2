import type { Properties } from '../../client/dossier.js'

/** Typed text as a value that the service takes, or what is wrong with the text. */
export type Typed<T> = { readonly value: T } | { readonly wrong: string }

/** JSON of an object; nothing typed is an object without members. */
export function typedProperties(text: string): Typed<Properties> {
  if (text.trim() === '') return { value: {} }
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value)
      ? { value }
      : { wrong: 'This is JSON, but not an object such as {"plan": "paid"}.' }
  } catch (error) {
    return { wrong: `This is not JSON: ${error instanceof Error ? error.message : String(error)}.` }
  }
}

/** What was typed, or an object without members. */
export function valueOf(typed: Typed<Properties>): Properties {
  return 'value' in typed ? typed.value : {}
}

function isObject(value: unknown): value is Properties {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A time as the service takes it: with an offset as it is, without one in UTC. Nothing typed: undefined. */
export function typedTime(text: string): string | undefined {
  const [day = '', ...rest] = text.trim().split(/[ T]/)
  if (day === '') return undefined
  if (!/^\d{4}-\d\d-\d\d$/.test(day)) return text.trim()
  const time = rest.length === 0 ? '00:00' : rest.join('')
  const offset = /(?:Z|[+-]\d\d:\d\d)$/i.test(time) ? '' : 'Z'
  return `${day}T${time.replace(/^(\d\d:\d\d)(?!:)/, '$1:00')}${offset}`
}

const instant = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/i

/** Whether a result of `typedTime` is an RFC 3339 instant. JavaScript alone reads `24 Nov` as a day of 2001. */
export function isInstant(time: string): boolean {
  const [, day = ''] = instant.exec(time) ?? []
  const midnight = Date.parse(day)
  if (Number.isNaN(midnight) || Number.isNaN(Date.parse(time))) return false
  // JavaScript reads 30 February as 2 March.
  return new Date(midnight).toISOString().startsWith(day)
}

/** The own time of a write, from typed text. Nothing typed: the write happens now. */
export function ownTime(text: string): { readonly occurred_at?: string } {
  const at = typedTime(text)
  return at === undefined ? {} : { occurred_at: at }
}
